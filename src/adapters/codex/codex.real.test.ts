import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { describeAdapter } from "../../testing/describe-adapter.ts";
import { codexToolCalls } from "./events/tool-calls.ts";
import { codexAdapter } from "./index.ts";

describeAdapter("Codex", {
  createAdapter: ({ env }) => codexAdapter({ env, runtimesDir }),
  createHost: createLocalHost,
  apis: ["openai-responses"],
  tools: codexToolCalls,
  missesSse: true,
  failingStatus: 503, // for status 500, Codex reports its own text instead of the model's
  longestMessage: 2 ** 20,
  missesMaxTokens: true,
});

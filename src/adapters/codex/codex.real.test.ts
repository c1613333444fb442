import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { describeAdapter } from "../../testing/describe-adapter.ts";
import { codexAdapter } from "./index.ts";
import { codexToolCalls } from "./tool-calls.ts";

describeAdapter("Codex", {
  createAdapter: ({ env }) => codexAdapter({ env, runtimesDir }),
  createHost: createLocalHost,
  apis: ["openai-responses"],
  tools: codexToolCalls,
  missesSse: true,
  failingStatus: 503, // of a 500 Codex tells in words of its own
  longestMessage: 2 ** 20,
  missesMaxTokens: true,
});

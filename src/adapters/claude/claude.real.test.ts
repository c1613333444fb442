import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { describeAdapter } from "../../testing/describe-adapter.ts";
import { claudeToolCalls } from "./events/tool-calls.ts";
import { claudeAdapter } from "./index.ts";

describeAdapter("Claude Code", {
  createAdapter: ({ env }) => claudeAdapter({ env, runtimesDir }),
  createHost: createLocalHost,
  apis: ["anthropic"],
  tools: claudeToolCalls,
});

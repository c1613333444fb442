import { runtimesDir } from "../../../../test/real/runtimes-dir.ts";
import { createLocalHost } from "../../../hosts/local/index.ts";
import { describeAdapter } from "../../../testing/describe-adapter.ts";
import { claudeToolCalls } from "../events/tool-calls.ts";
import { ccsdkAdapter } from "./sdk.ts";

describeAdapter("Claude Agent SDK", {
  createAdapter: ({ env }) => ccsdkAdapter({ env, runtimesDir }),
  createHost: createLocalHost,
  apis: ["anthropic"],
  tools: claudeToolCalls,
});

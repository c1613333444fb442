import { createLocalHost } from "../../../hosts/local/index.ts";
import { describeAdapter } from "../../../testing/describe-adapter.ts";
import { piToolCalls } from "../events/tool-calls.ts";
import { piAdapter } from "../index.ts";

describeAdapter("Pi as a process of its own", {
  createAdapter: ({ env, directory: runtimesDir }) => piAdapter({ mode: "rpc", env, runtimesDir }),
  createHost: createLocalHost,
  apis: ["openai-chat", "anthropic", "openai-responses"],
  tools: piToolCalls,
});

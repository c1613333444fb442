import { piProgram as bin, runtimesDir } from "../../../../test/real/runtimes-dir.ts";
import { createLocalHost } from "../../../hosts/local/index.ts";
import { describeAdapter } from "../../../testing/describe-adapter.ts";
import { piToolCalls } from "../events/tool-calls.ts";
import { piAdapter } from "../index.ts";

describeAdapter("Pi as a separate process", {
  createAdapter: ({ env }) => piAdapter({ mode: "rpc", env, runtimesDir, bin }),
  createHost: createLocalHost,
  apis: ["openai-chat", "anthropic", "openai-responses"],
  tools: piToolCalls,
  listsModels: false, // the test has no key
  compactsFrom: 144_000, // long enough, because Pi keeps the last 20,000 tokens
});

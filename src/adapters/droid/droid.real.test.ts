import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { describeAdapter } from "../../testing/describe-adapter.ts";
import { droidAdapter } from "./index.ts";
import { droidToolCalls } from "./tool-calls.ts";

describeAdapter("Factory Droid", {
  createAdapter: ({ env }) => droidAdapter({ env, runtimesDir }),
  createHost: createLocalHost,
  apis: ["openai-chat", "openai-responses", "anthropic"],
  tools: droidToolCalls,
  failingStatus: 504, // of a 500 Droid tells nothing but that the model is overloaded
});

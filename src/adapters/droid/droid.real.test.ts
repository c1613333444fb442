import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { describeAdapter } from "../../testing/describe-adapter.ts";
import { droidToolCalls } from "./events/tool-calls.ts";
import { droidAdapter } from "./index.ts";

describeAdapter("Factory Droid", {
  createAdapter: ({ env }) => droidAdapter({ env, runtimesDir }),
  createHost: createLocalHost,
  encodesImages: true,
  apis: ["openai-chat", "openai-responses", "anthropic"],
  tools: droidToolCalls,
  failingStatus: 504, // for status 500, Droid reports only that the model is overloaded
});

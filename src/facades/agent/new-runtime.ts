import { resolveRuntime } from "../../config/resolve-runtime.ts";
import { factoryKey } from "../../config/server.ts";
import { HalyardSource, type HalyardSourceOptions } from "../halyard-source.ts";
import type { AgentConfig } from "./agent-config.ts";
import { HalyardRuntime } from "./halyard-runtime.ts";
import type { Runtime } from "./runtime.ts";

/** The runtime that fits the configuration: the project's, else the server's, where `auto` goes by Factory's key. */
export function newRuntime(config: AgentConfig = {}, options: HalyardSourceOptions = {}): Runtime {
  const { agent_runtime = "auto" } = config.server ?? {};
  const { runtime } = resolveRuntime(
    {
      server: { path: "config/server.json", value: { agent_runtime } },
      factory: { path: "config/factory.json", value: config.factory ?? {} },
      project: {
        path: "metadata.json",
        value: config.project ?? {},
        directory: ".",
        isTrusted: true,
      },
    },
    { project: "project" },
  );
  return new HalyardRuntime(runtime, factoryKey(config.factory), new HalyardSource(options));
}

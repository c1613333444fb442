import { z } from "zod";
import { parseInput } from "../../errors/parse-input.ts";
import { HalyardSource, type HalyardSourceOptions } from "../halyard-source.ts";
import { type AgentConfig, readAgentConfig } from "./agent-config.ts";
import { HalyardRuntime } from "./halyard-runtime.ts";
import type { Runtime } from "./runtime.ts";
import { RuntimeConfig } from "./runtime-config.ts";

/**
 * Returns the runtime that the configuration selects: the project's, else the server's. `auto` selects Droid if there
 * is a Factory API key, OpenCode otherwise. Without `config`, reads `config/server.json` and `config/factory.json` of
 * the working directory.
 */
export function newRuntime(config?: AgentConfig, options: HalyardSourceOptions = {}): Runtime {
  const { env = process.env } = options.create ?? {};
  const given = config ? checked(config) : readAgentConfig({ env });
  const readsFiles = options.halyard === undefined && options.create?.config === undefined;
  const settings = new RuntimeConfig({ given, env, readsFiles });
  const { id } = given.project ?? {};
  const context = id === undefined ? {} : { projectID: id };
  return new HalyardRuntime(settings, new HalyardSource(options), context);
}

/** Rejects a configuration with unknown keys, which would silently select another runtime. */
function checked(config: AgentConfig): AgentConfig {
  parseInput(Keys, config);
  return config;
}

const content = z.unknown().optional();
const Keys = z.strictObject({
  server: content,
  factory: content,
  models: content,
  project: content,
});

import { z } from "zod";
import { parseInput } from "../../errors/parse-input.ts";
import { HalyardSource, type HalyardSourceOptions } from "../halyard-source.ts";
import { type AgentConfig, readAgentConfig } from "./agent-config.ts";
import { HalyardRuntime } from "./halyard-runtime.ts";
import type { Runtime } from "./runtime.ts";
import { RuntimeConfig } from "./runtime-config.ts";

/**
 * Returns the runtime that the configuration selects: the project's runtime, otherwise the server's. `auto` selects
 * Droid if there is a Factory API key, and OpenCode otherwise. If `config` is omitted, reads the files in the working
 * directory's `config`. Halyard trusts the models and keys in these files, except in a file that git tracks, because
 * another person may have written it. Throws `invalid_input` if `config` contains an unknown key.
 */
export function newRuntime(config?: AgentConfig, options: HalyardSourceOptions = {}): Runtime {
  const { env = process.env, home, config: reader } = options.create ?? {};
  const root = process.cwd();
  const given = config ? checked(config) : readAgentConfig({ env, cwd: root });
  const readsFiles = options.halyard === undefined && reader === undefined;
  const vouches = config === undefined;
  const settings = new RuntimeConfig({ given, env, home, root, readsFiles, vouches });
  const { id } = given.project ?? {};
  const context = id === undefined ? {} : { projectID: id };
  return new HalyardRuntime(settings, new HalyardSource(options), context);
}

/** Throws `invalid_input` for a configuration with unknown keys, because it would silently select another runtime. */
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

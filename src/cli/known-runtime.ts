import type { Config } from "../config/config.ts";
import {
  namesEndpoint,
  usesModelVariables,
  withoutEndpoint,
} from "../config/models/model-choice.ts";
import type { Environment } from "../config/paths.ts";
import { didYouMean } from "../errors/did-you-mean.ts";
import { HalyardError } from "../errors/error.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { RuntimeDecision } from "../schema/runtimes/runtime-decision.ts";

/**
 * Returns true if the environment variables for a model endpoint apply to the chosen runtime, or if none is set. Throws
 * `unknown_runtime` if a configuration file sets an unknown runtime. The error names the file and the key.
 */
export async function takesEndpoints(
  decision: RuntimeDecision,
  config: Config,
  env: Environment,
): Promise<boolean> {
  await requireKnownDecision(decision, config, env);
  return (await modelVariables(decision.runtime, config, env)) === env;
}

async function requireKnownDecision(
  { runtime, steps }: RuntimeDecision,
  { registry }: Config,
  env: Environment,
): Promise<void> {
  const { file, key } = steps.find(({ decided }) => decided) ?? {};
  if (file === undefined) return;
  const known = await openRegistry(registry, env);
  if ((await known.resolve(runtime)) !== undefined) return;
  const advice = didYouMean(runtime, await known.names());
  const problem = `${file}: ${key}: unknown runtime "${runtime}".${advice}`;
  throw new HalyardError("unknown_runtime", problem);
}

/** Throws `unknown_runtime` if no runtime has this name. */
export async function requireRuntime(
  runtime: string,
  { registry }: Config,
  env: Environment,
): Promise<void> {
  const known = await openRegistry(registry, env);
  if ((await known.resolve(runtime)) !== undefined) return;
  const advice = didYouMean(runtime, await known.names());
  throw new HalyardError("unknown_runtime", `Unknown runtime "${runtime}".${advice}`);
}

/** Returns the environment, without the variables for a model endpoint if they do not apply to the runtime. */
export async function modelVariables(
  runtime: RuntimeName,
  { registry }: Config,
  env: Environment,
): Promise<Environment> {
  if (!namesEndpoint(env)) return env;
  const known = await openRegistry(registry, env);
  const name = await known.resolve(runtime);
  const adapter = name === undefined ? undefined : await known.load(name);
  return adapter === undefined || usesModelVariables(adapter) ? env : withoutEndpoint(env);
}

async function openRegistry(registry: Config["registry"], env: Environment) {
  const { createRegistry } = await import("../adapters/registry.ts");
  const entries = async () => registry?.value?.runtimes ?? {};
  return createRegistry({ env, runtimesDir: "", detached: false, entries }, []);
}

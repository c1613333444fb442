import type { Config } from "../config/config.ts";
import { namesEndpoint, withoutEndpoint } from "../config/model-choice.ts";
import type { Environment } from "../config/paths.ts";
import { didYouMean } from "../core/did-you-mean.ts";
import { HalyardError } from "../core/error.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { RuntimeDecision } from "../schema/runtime-decision.ts";

/** Refuses a runtime that only a file knows of, by the name of that file: it is there that it has to be mended. */
export async function requireKnown(
  { runtime, steps }: RuntimeDecision,
  { registry }: Config,
  env: Environment,
): Promise<void> {
  const { file, key } = steps.find(({ decided }) => decided) ?? {};
  if (file === undefined) return;
  const known = await openRegistry(registry, env);
  if ((await known.resolve(runtime)) !== undefined) return;
  const advice = didYouMean(runtime, await known.names());
  const problem = `${file}: ${key}: there is no runtime "${runtime}"${advice && `.${advice}`}`;
  throw new HalyardError("unknown_runtime", problem);
}

/** Refuses a name that is no runtime's before a client is served with it. */
export async function requireRuntime(
  runtime: string,
  { registry }: Config,
  env: Environment,
): Promise<void> {
  const known = await openRegistry(registry, env);
  if ((await known.resolve(runtime)) !== undefined) return;
  const advice = didYouMean(runtime, await known.names());
  throw new HalyardError("unknown_runtime", `There is no runtime "${runtime}".${advice}`);
}

/** The variables about models that count for a runtime: an endpoint only if it can be given one. */
export async function modelVariables(
  runtime: RuntimeName,
  { registry }: Config,
  env: Environment,
): Promise<Environment> {
  if (!namesEndpoint(env)) return env;
  const known = await openRegistry(registry, env);
  const name = await known.resolve(runtime);
  const adapter = name === undefined ? undefined : await known.load(name);
  return adapter?.capabilities.includes("endpoints") === false ? withoutEndpoint(env) : env;
}

async function openRegistry(registry: Config["registry"], env: Environment) {
  const { createRegistry } = await import("../adapters/registry.ts");
  const entries = async () => registry?.value?.runtimes ?? {};
  return createRegistry({ env, runtimesDir: "", outlive: false, entries }, []);
}

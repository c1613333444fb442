import type { Config } from "../config/config.ts";
import type { Environment } from "../config/paths.ts";
import { HalyardError } from "../core/error.ts";
import type { RuntimeDecision } from "../schema/runtime-decision.ts";

/** Refuses a runtime that only a file knows of, by the name of that file: it is there that it has to be mended. */
export async function requireKnown(
  { runtime, steps }: RuntimeDecision,
  { registry }: Config,
  env: Environment,
): Promise<void> {
  const { file, key } = steps.find(({ decided }) => decided) ?? {};
  if (file === undefined) return;
  const { createRegistry } = await import("../adapters/registry.ts");
  const entries = async () => registry?.value?.runtimes ?? {};
  const known = createRegistry({ env, runtimesDir: "", outlive: false, entries }, []);
  if ((await known.resolve(runtime)) !== undefined) return;
  throw new HalyardError("unknown_runtime", `${file}: ${key}: there is no runtime "${runtime}"`);
}

import { editJsonFile } from "../../config/json/edit-json.ts";
import { homeDirectory, registryFile, userSettingsFile } from "../../config/paths.ts";
import { resolveRuntime } from "../../config/resolve-runtime.ts";
import { adviceOn } from "../../halyard/availability.ts";
import { type Console, openConsole, throwIfUnwritable, warn } from "../console/console.ts";
import { openHalyard } from "../open-halyard.ts";
import { abbreviateHome } from "../text/format.ts";
import { loadSessionConfig } from "../trust/session-config.ts";

export interface SetDefaultOptions {
  /** True to write the registry of runtimes instead of Halyard's settings. Defaults to false. */
  readonly inRegistry?: boolean;
}

export async function runtimeSetDefault(
  requested: string,
  { inRegistry = false }: SetDefaultOptions,
): Promise<number> {
  const console = openConsole();
  const { out, env } = console;
  await using halyard = await openHalyard(console, { store: "memory" });
  const { name, availability } = await halyard.inspect(requested); // rejects an unknown runtime
  const path = inRegistry ? registryFile(env) : userSettingsFile(homeDirectory(env));
  await editJsonFile(path, [{ path: [inRegistry ? "default" : "runtime"], value: name }]);
  await out.write(`${name} is now the default, in ${abbreviateHome(path)}\n`);
  if (!availability.available)
    await warn(console, [`${name} cannot run here yet: ${adviceOn(availability)}`]);
  await warn(console, await overrideWarnings(name, console));
  throwIfUnwritable(console);
  return 0;
}

/** Returns a warning if a configuration file overrides the default in this directory. */
async function overrideWarnings(name: string, console: Console): Promise<string[]> {
  const config = await loadSessionConfig({ cwd: process.cwd() }, console);
  const { runtime, steps } = resolveRuntime(config);
  if (runtime === name) return [];
  const { file = "" } = steps.find(({ decided }) => decided) ?? {};
  return [
    `In this directory, ${abbreviateHome(file)} sets the runtime to ${runtime}. Run "halyard runtime explain" for details.`,
  ];
}

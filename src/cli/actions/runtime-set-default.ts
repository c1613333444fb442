import { editJsonFile } from "../../config/edit-json.ts";
import { loadConfig } from "../../config/load.ts";
import { homeDirectory, registryFile, userSettingsFile } from "../../config/paths.ts";
import { resolveRuntime } from "../../config/resolve-runtime.ts";
import { openHalyard } from "../open-halyard.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, type Terminal, throwIfUnwritable, warn } from "../terminal.ts";

export interface SetDefaultOptions {
  /** Write Gas Town's registry in place of Halyard's own settings. */
  readonly gasTown?: boolean;
}

export async function runtimeSetDefault(
  asked: string,
  { gasTown = false }: SetDefaultOptions,
): Promise<number> {
  const terminal = openTerminal();
  const { out, env } = terminal;
  await using halyard = await openHalyard(terminal, { store: "memory" });
  const { name, availability } = await halyard.examine(asked); // refuses what nobody knows
  const path = gasTown ? registryFile(env) : userSettingsFile(homeDirectory(env));
  await editJsonFile(path, [{ path: [gasTown ? "default" : "runtime"], value: name }]);
  await out.write(`${name} is the default now, in ${tilde(path)}\n`);
  if (!availability.available) {
    const { reason, hint } = availability;
    await warn(terminal, [`${name} cannot run here yet: ${reason}; ${hint}`]);
  }
  await warn(terminal, await contradictions(name, terminal));
  throwIfUnwritable(terminal);
  return 0;
}

/** The default is for where nothing else decides, and here something may. */
async function contradictions(name: string, { env }: Terminal): Promise<string[]> {
  const config = await loadConfig({ env, cwd: process.cwd(), home: homeDirectory(env) });
  const { runtime, steps } = resolveRuntime(config);
  if (runtime === name) return [];
  const { file = "" } = steps.find(({ decided }) => decided) ?? {};
  return [`here ${tilde(file)} decides: ${runtime}. halyard runtime explain tells more`];
}

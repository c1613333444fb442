import { resolve } from "node:path";
import { createRegistry } from "../../adapters/registry.ts";
import { importPresets, PresetsFile } from "../../compat/gas-town/presets.ts";
import { editJsonFile } from "../../config/json/edit-json.ts";
import { readJsonFile } from "../../config/json/json-file.ts";
import { registryFile } from "../../config/paths.ts";
import { HalyardError } from "../../errors/error.ts";
import { openConsole, throwIfUnwritable, warn } from "../console/console.ts";
import { abbreviateHome } from "../text/format.ts";

export async function runtimeImport(file: string): Promise<number> {
  const console = openConsole();
  const { out, env } = console;
  const presets = await readJsonFile(resolve(file), () => PresetsFile, { mayBePipe: true });
  if (presets === undefined)
    throw new HalyardError("invalid_input", `File ${file} does not exist. Check its path.`);
  const builtIn = await createRegistry({ env, runtimesDir: "", detached: false }, []).names();
  const { entries, warnings } = importPresets(presets.value, builtIn);
  const changes = Object.entries(entries).flatMap(([name, entry]) =>
    Object.entries(entry).map(([key, value]) => ({ path: ["runtimes", name, key], value })),
  );
  const path = registryFile(env);
  if (changes.length > 0) await editJsonFile(path, changes);
  for (const [name, { bin = "", args = [] }] of Object.entries(entries))
    await out.write(`${name}: ${[bin, ...args].join(" ")}\n`);
  const count = Object.keys(entries).length;
  const agents = count === 1 ? "1 agent" : `${count} agents`;
  await out.write(`Imported ${agents} into ${abbreviateHome(path)}\n`);
  await warn(console, warnings);
  throwIfUnwritable(console);
  return 0;
}

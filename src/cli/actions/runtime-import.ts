import { resolve } from "node:path";
import { createRegistry } from "../../adapters/registry.ts";
import { editJsonFile } from "../../config/edit-json.ts";
import { readJsonFile } from "../../config/json-file.ts";
import { registryFile } from "../../config/paths.ts";
import { importPresets, PresetsFile } from "../../config/presets.ts";
import { HalyardError } from "../../core/error.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, throwIfUnwritable, warn } from "../terminal.ts";

export async function runtimeImport(file: string): Promise<number> {
  const terminal = openTerminal();
  const { out, env } = terminal;
  const presets = await readJsonFile(resolve(file), () => PresetsFile, { mayBePipe: true });
  if (presets === undefined) throw new HalyardError("invalid_input", `there is no file ${file}`);
  const builtIn = await createRegistry({ env, runtimesDir: "", outlive: false }, []).names();
  const { entries, warnings } = importPresets(presets.value, builtIn);
  const changes = Object.entries(entries).flatMap(([name, entry]) =>
    Object.entries(entry).map(([key, value]) => ({ path: ["runtimes", name, key], value })),
  );
  const path = registryFile(env);
  if (changes.length > 0) await editJsonFile(path, changes);
  for (const [name, { bin = "", args = [] }] of Object.entries(entries))
    await out.write(`${name}: ${[bin, ...args].join(" ")}\n`);
  await out.write(`${Object.keys(entries).length} taken over into ${tilde(path)}\n`);
  await warn(terminal, warnings);
  throwIfUnwritable(terminal);
  return 0;
}

import { resolve } from "node:path";
import { editJsonFile } from "../../config/edit-json.ts";
import { presetFor } from "../gt/preset.ts";
import { openHalyard } from "../open-halyard.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";

export interface GtPresetOptions {
  readonly runtime?: string;
  /** A `settings/agents.json`, where it is to stand in one. */
  readonly write?: string;
}

export async function gtPreset({ runtime: asked, write }: GtPresetOptions): Promise<number> {
  const terminal = openTerminal();
  const { out } = terminal;
  await using halyard = await openHalyard(terminal, { store: "memory" });
  const runtime = asked === undefined ? undefined : (await halyard.examine(asked)).name;
  const preset = presetFor(runtime);
  if (write === undefined) {
    const file = { version: 1, agents: { [preset.name]: preset } };
    await out.write(`${JSON.stringify(file, null, 2)}\n`);
  } else {
    const path = resolve(write);
    await editJsonFile(path, [
      { path: ["version"], value: 1 },
      { path: ["agents", preset.name], value: preset },
    ]);
    await out.write(`${preset.name} is in ${tilde(path)} now: gt sling … --agent ${preset.name}\n`);
  }
  throwIfUnwritable(terminal);
  return 0;
}

import { resolve } from "node:path";
import { openConsole, throwIfUnwritable } from "../../../cli/console/console.ts";
import { openHalyard } from "../../../cli/open-halyard.ts";
import { abbreviateHome } from "../../../cli/text/format.ts";
import { editJsonFile } from "../../../config/json/edit-json.ts";
import { presetFor } from "./preset.ts";

export interface GtPresetOptions {
  readonly runtime?: string;
  /** The `settings/agents.json` to write to. Defaults to standard output. */
  readonly write?: string;
}

export async function gtPreset({ runtime: requested, write }: GtPresetOptions): Promise<number> {
  const console = openConsole();
  const { out } = console;
  await using halyard = await openHalyard(console, { store: "memory" });
  const runtime = requested === undefined ? undefined : (await halyard.inspect(requested)).name;
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
    await out.write(
      `Added ${preset.name} to ${abbreviateHome(path)}. Run "gt sling … --agent ${preset.name}" to use it.\n`,
    );
  }
  throwIfUnwritable(console);
  return 0;
}

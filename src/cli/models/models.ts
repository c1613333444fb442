import { resolveRuntime } from "../../config/resolve-runtime.ts";
import type { ModelInfo } from "../../schema/runtimes/model-info.ts";
import { type Console, openConsole, throwIfUnwritable } from "../console/console.ts";
import { openHalyard } from "../open-halyard.ts";
import { whileSpinning } from "../output/spinner.ts";
import { cleanLine } from "../text/clean.ts";
import { loadSessionConfig } from "../trust/session-config.ts";

export interface ModelsFlags {
  readonly format: "text" | "json";
}

export async function models(runtime: string | undefined, options: ModelsFlags): Promise<number> {
  const console = openConsole();
  const { format } = options;
  await using halyard = await openHalyard(console, { store: "memory" });
  const name = runtime ?? (await configuredRuntime(console));
  const list = () => halyard.models(name);
  const found = await whileSpinning("listing the models", list, console, format);
  for (const model of found)
    await console.out.write(format === "json" ? `${JSON.stringify(model)}\n` : describe(model));
  throwIfUnwritable(console);
  return 0;
}

/** Returns the runtime of a new session in the current directory if the user does not name one. */
export async function configuredRuntime(console: Console): Promise<string> {
  const config = await loadSessionConfig({ cwd: process.cwd() }, console);
  return resolveRuntime(config).runtime;
}

/** Formats a model. The first word is the name for `--model`, so that scripts can read it. */
function describe({ id, name, isDefault }: ModelInfo): string {
  const notes = [name !== undefined && name !== id ? name : "", isDefault ? "default" : ""];
  const note = notes.filter((text) => text !== "").join(", ");
  return `${cleanLine(note === "" ? id : `${id}\t${note}`)}\n`;
}

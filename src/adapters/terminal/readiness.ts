import { setTimeout as delay } from "node:timers/promises";
import { HalyardError } from "../../core/error.ts";
import { look, shown } from "../../core/look.ts";
import type { Screen, Terminal } from "../../core/terminal.ts";
import type { RuntimeEntry } from "../../schema/runtime-entry.ts";
import { readinessOf } from "./runtime.ts";

/** When the program takes messages: once its prompt shows, or, where none is known, after a while. */
export async function becomeReady(
  terminal: Terminal,
  entry: RuntimeEntry,
  limitMs: number,
): Promise<void> {
  const { strategy, warmupMs } = readinessOf(entry);
  if (strategy !== "prompt") {
    await delay(warmupMs);
    return;
  }
  const last = await look(terminal, (screen) => hasPrompt(screen, entry), limitMs);
  if (hasPrompt(last, entry)) return;
  throw new HalyardError(
    "start_failed",
    `its prompt, "${promptOf(entry)}", did not show up. Its screen shows:\n${shown(last)}`,
  );
}

/** Whether an empty prompt is where the cursor is: a prompt above it has been answered. */
export function hasPrompt({ lines, cursor }: Screen, entry: RuntimeEntry): boolean {
  const line = lines[cursor.row]?.replaceAll("\u00a0", " ").trim();
  return line === promptOf(entry).trim();
}

const promptOf = ({ ready_prompt_prefix: prefix = ">" }: RuntimeEntry): string => prefix;

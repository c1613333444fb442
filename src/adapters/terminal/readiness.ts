import { setTimeout as delay } from "node:timers/promises";
import { look, shown } from "../../adapter-kit/look.ts";
import { REGISTRY } from "../../compat/gas-town/files/names.ts";
import type { Screen, Terminal } from "../../contracts/terminal.ts";
import { HalyardError } from "../../errors/error.ts";
import type { RuntimeEntry } from "../../schema/runtimes/runtime-entry.ts";
import { readinessOf } from "./runtime.ts";

/**
 * Waits until the program accepts messages: when its prompt appears, or after a delay if the prompt is unknown. Rejects
 * with `start_failed` if the prompt does not appear within `limitMs`.
 */
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
    `The prompt "${promptOf(entry)}" did not appear. If the program has another prompt, correct ready_prompt_prefix in ${REGISTRY}. The screen shows:\n${shown(last)}`,
  );
}

/** True if the cursor is at an empty prompt. A prompt above the cursor has already been answered. */
export function hasPrompt({ lines, cursor }: Screen, entry: RuntimeEntry): boolean {
  const line = lines[cursor.row]?.replaceAll("\u00a0", " ").trim();
  return line === promptOf(entry).trim();
}

const promptOf = ({ ready_prompt_prefix: prefix = ">" }: RuntimeEntry): string => prefix;

import { setTimeout as delay } from "node:timers/promises";
import type { Screen, Terminal } from "./terminal.ts";

/** Looks until it is as it should be, or for too long; gives what was seen last. */
export async function look(
  terminal: Terminal,
  isRight: (screen: Screen) => boolean,
  limitMs: number,
): Promise<Screen> {
  const end = performance.now() + limitMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const screen = await terminal.look();
    if (isRight(screen) || performance.now() > end) return screen;
    await delay(pauseMs);
  }
}

/** The last lines that say something. */
export function shown({ lines }: Screen): string {
  return lines
    .filter((line) => line.trim() !== "" && !/^[─╌▔]+$/.test(line.trim()))
    .slice(-8)
    .join("\n");
}

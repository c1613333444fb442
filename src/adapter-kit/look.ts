import { setTimeout as delay } from "node:timers/promises";
import type { Screen, Terminal } from "../contracts/terminal.ts";

/** Reads the screen until the condition is true or the time limit expires. Returns the last screen. */
export async function look(
  terminal: Pick<Terminal, "look">,
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

/** Returns the last eight lines on a screen that contain text. Horizontal rules are skipped. */
export function shown({ lines }: Screen): string {
  return lines
    .filter((line) => line.trim() !== "" && !/^[─╌▔]+$/.test(line.trim()))
    .slice(-8)
    .join("\n");
}

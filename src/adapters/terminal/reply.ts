import { setTimeout as delay } from "node:timers/promises";
import type { Screen, Terminal } from "../../core/terminal.ts";
import type { RuntimeEntry } from "../../schema/runtime-entry.ts";
import { hasPrompt } from "./readiness.ts";
import { isSame } from "./type-into.ts";

export interface ReplyOptions {
  readonly entry: RuntimeEntry;
  readonly message: string;
  /** The screen with the message on it, before it was sent off. */
  readonly drafted: Screen;
  readonly signal: AbortSignal;
}

/** What the screen adds until it rests, or until the prompt is back; undefined where nobody waits for it any more. */
export async function readReply(
  terminal: Terminal,
  { entry, message, drafted, signal }: ReplyOptions,
): Promise<string | undefined> {
  const restMs = entry.ready === "prompt" ? PROMPT_REST_MS : REST_MS;
  let last = drafted;
  let since = performance.now();
  while (!signal.aborted) {
    await delay(LOOK_EVERY_MS);
    const screen = await terminal.look().catch(() => undefined);
    if (screen === undefined) return undefined; // the end is told elsewhere
    if (!isSame(screen, last)) since = performance.now();
    last = screen;
    const isBack = entry.ready !== "prompt" || hasPrompt(screen, entry);
    if (isBack && performance.now() - since > restMs) return added(screen, drafted, message);
  }
  return undefined;
}

const LOOK_EVERY_MS = 50;
/** A program that shows nothing new for that long is done, as far as can be told. */
const REST_MS = 2_000;
const PROMPT_REST_MS = 150;

/** What stands behind the message; where that is out of sight, what was not there before. */
function added({ lines, cursor }: Screen, drafted: Screen, message: string): string {
  const end = message.trim().split("\n").at(-1)?.trim().slice(-40) ?? "";
  const at = lines.findLastIndex((line, row) => row < cursor.row && line.trimEnd().endsWith(end));
  const before = new Set(drafted.lines);
  const fresh = at < 0 ? lines.filter((line) => !before.has(line)) : lines.slice(at + 1);
  const isPrompt = (line: string | undefined) => line !== undefined && line === lines[cursor.row];
  const kept = isPrompt(fresh.findLast((line) => line !== "")) ? dropLast(fresh) : fresh;
  return kept.join("\n").trim();
}

function dropLast(lines: readonly string[]): readonly string[] {
  return lines.slice(
    0,
    lines.findLastIndex((line) => line !== ""),
  );
}

import { setTimeout as delay } from "node:timers/promises";
import type { Screen, Terminal } from "../../contracts/terminal.ts";
import type { RuntimeEntry } from "../../schema/runtimes/runtime-entry.ts";
import { hasPrompt } from "./readiness.ts";
import { type Drafted, isSame } from "./type-into.ts";

/** Options for `readReply`. */
export interface ReplyOptions {
  readonly entry: RuntimeEntry;
  readonly message: string;
  /** The screens before and after the message was typed. */
  readonly drafted: Drafted;
  readonly signal: AbortSignal;
}

/**
 * Reads the reply until the prompt returns or, without a known prompt, until the screen has not changed for 2 s.
 * Returns undefined if the program has exited or the signal is aborted.
 */
export async function readReply(
  terminal: Terminal,
  options: ReplyOptions,
): Promise<string | undefined> {
  const { entry, drafted, signal } = options;
  const restMs = entry.ready === "prompt" ? PROMPT_REST_MS : REST_MS;
  let last = drafted.drafted;
  let since = performance.now();
  while (!signal.aborted) {
    await delay(LOOK_EVERY_MS);
    const screen = await terminal.look().catch(() => undefined);
    if (screen === undefined) return undefined; // the connection reports the exit
    if (!isSame(screen, last)) since = performance.now();
    last = screen;
    const isBack = entry.ready !== "prompt" || hasPrompt(screen, entry);
    if (isBack && performance.now() - since > restMs) return replyOn(terminal, screen, options);
  }
  return undefined;
}

const LOOK_EVERY_MS = 50;
/** The time without a screen change after which a reply is complete if the prompt is unknown, in milliseconds. */
const REST_MS = 2_000;
/** The time without a screen change after which a reply is complete if the prompt has returned, in milliseconds. */
const PROMPT_REST_MS = 150;

async function replyOn(terminal: Terminal, screen: Screen, options: ReplyOptions): Promise<string> {
  const { drafted } = options.drafted;
  if (screen.scrolled === undefined || drafted.scrolled === undefined)
    return added(screen, options);
  const sent = drafted.scrolled + drafted.cursor.row;
  const cursor = screen.scrolled + screen.cursor.row;
  const end = isPromptLine(screen, options) ? cursor : screen.scrolled + screen.lines.length;
  if (sent + 1 >= end) return added(screen, options); // the program redrew the message above its input line
  const lines = await terminal.read(sent + 1, end);
  return lines.join("\n").trim();
}

/** True if the line with the cursor is the known prompt, or equals the line with the cursor before the message. */
function isPromptLine(screen: Screen, { entry, drafted: { before } }: ReplyOptions): boolean {
  const line = screen.lines[screen.cursor.row]?.trim();
  return hasPrompt(screen, entry) || line === before.lines[before.cursor.row]?.trim();
}

/**
 * Returns the text below the message or, if the screen no longer shows the message, the new lines. Used for a program
 * that redraws its screen.
 */
function added(screen: Screen, options: ReplyOptions): string {
  const { message, drafted } = options;
  const { row } = screen.cursor;
  const lines = isPromptLine(screen, options) ? screen.lines.slice(0, row) : screen.lines;
  const end = message.trim().split("\n").at(-1)?.trim().slice(-40) ?? "";
  const before = new Set(drafted.drafted.lines);
  const at = lines.findLastIndex(
    (line, index) => index < row && line.endsWith(end) && !isLast(index, lines),
  );
  const fresh = at < 0 ? lines.filter((line) => !before.has(line)) : lines.slice(at + 1);
  return fresh.join("\n").trim();
}

/** True for the last line with text. It is part of the reply, even if it repeats the message. */
function isLast(index: number, lines: readonly string[]): boolean {
  return lines.slice(index + 1).every((line) => line === "");
}

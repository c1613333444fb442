import { setTimeout as delay } from "node:timers/promises";
import { HalyardError } from "../../../core/error.ts";
import type { Terminal } from "../../../core/terminal.ts";
import { clearDraft } from "./clear-draft.ts";
import { readComposer, shows } from "./composer.ts";

export interface BreakingOff {
  readonly terminal: Terminal;
  /** The message whose turn is to end, where it is known. */
  readonly text: string | undefined;
  /** Resolves once Claude has told that the turn is over. */
  readonly ended: Promise<unknown>;
  /** Denies what Claude waits to have answered: that is what has the keyboard. */
  denyAll(): Promise<void>;
}

/**
 * Has Claude end its turn. A message that it had not begun to answer it puts back into its input line without a word:
 * that is cleared, and the answer is `taken-back`.
 */
export async function breakOff(breaking: BreakingOff): Promise<"told" | "taken-back"> {
  const { terminal, text, ended, denyAll } = breaking;
  const isOver = (ms: number) => Promise.race([ended.then(() => true), delay(ms, false)]);
  let hasWorked = false;
  let isIdleSince: number | undefined;
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; ) {
    await denyAll();
    if (await isOver(0)) return "told";
    const composer = readComposer(await terminal.look());
    if (composer.state !== "idle") {
      hasWorked = true;
      isIdleSince = undefined;
      if (composer.state === "dialog" && (await isOver(DIALOG_MS))) return "told";
      await terminal.exclusively(() => pressEscape(terminal));
      if (await isOver(AGAIN_MS)) return "told";
      continue;
    }
    isIdleSince ??= performance.now();
    const isBack = hasWorked && text !== undefined && shows(composer, text);
    if (isBack || performance.now() - isIdleSince > SILENCE_MS) {
      if (await isOver(WORD_MS)) return "told";
      if (isBack)
        await terminal.exclusively(() => clearDraft(terminal, (draft) => shows({ draft }, text)));
      return "taken-back";
    }
    if (await isOver(LOOK_EVERY_MS)) return "told";
  }
  throw new HalyardError("delivery_failed", "Claude does not let itself be interrupted");
}

/** Twice in an idle line it would take back more than this turn. */
async function pressEscape(terminal: Terminal): Promise<void> {
  if (readComposer(await terminal.look()).state !== "idle") await terminal.press("Escape");
}

const LIMIT_MS = 60_000;
const AGAIN_MS = 1_000;
const DIALOG_MS = 500;
const LOOK_EVERY_MS = 50;
/** How long what is on record may be in coming after what is on the screen. */
const WORD_MS = 300;
/** A message just sent off may take that long to show. */
const SILENCE_MS = 3_000;

import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../../../contracts/terminal.ts";
import { HalyardError } from "../../../errors/error.ts";
import { clearDraft } from "./delivery/clear-draft.ts";
import { readComposer, showsMessage } from "./delivery/composer.ts";

/** The turn to interrupt. */
export interface Interruption {
  readonly terminal: Terminal;
  /** The message that started the turn, if known. */
  readonly text: string | undefined;
  /** Resolves when the transcript reports the end of the turn. */
  readonly ended: Promise<unknown>;
  /** Denies all open requests, whose dialogs have the keyboard focus. */
  denyAll(): Promise<void>;
}

/**
 * Interrupts Claude's turn by pressing Escape. If Claude has not started to answer, it moves the message back into its
 * input line and writes nothing to the transcript. In that case, the input line is cleared, and the result is
 * `withdrawn`. The result is also `withdrawn` if Claude stays idle for 3 s without reporting the end of the turn.
 * Rejects with `delivery_failed` if the turn has not ended after 60 s.
 */
export async function interruptTurn(interruption: Interruption): Promise<"ended" | "withdrawn"> {
  const { terminal, text, ended, denyAll } = interruption;
  const isOver = (ms: number) => Promise.race([ended.then(() => true), delay(ms, false)]);
  let hasWorked = false;
  let isIdleSince: number | undefined;
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; ) {
    await denyAll();
    if (await isOver(0)) return "ended";
    const composer = readComposer(await terminal.look());
    if (composer.state !== "idle") {
      hasWorked = true;
      isIdleSince = undefined;
      if (composer.state === "dialog" && (await isOver(DIALOG_MS))) return "ended";
      await terminal.exclusively(() => pressEscape(terminal));
      if (await isOver(RETRY_MS)) return "ended";
      continue;
    }
    isIdleSince ??= performance.now();
    const isBack = hasWorked && text !== undefined && showsMessage(composer, text);
    if (isBack || performance.now() - isIdleSince > SILENCE_MS) {
      if (await isOver(TRANSCRIPT_MS)) return "ended";
      if (isBack)
        await terminal.exclusively(() =>
          clearDraft(terminal, (draft) => showsMessage({ draft }, text)),
        );
      return "withdrawn";
    }
    if (await isOver(LOOK_EVERY_MS)) return "ended";
  }
  throw new HalyardError(
    "delivery_failed",
    "Claude Code did not end the turn within 60 s after Escape was pressed. Stop and resume the session.",
  );
}

/**
 * Presses Escape, unless Claude is idle. Pressing Escape twice in an idle input line would rewind the conversation.
 */
async function pressEscape(terminal: Terminal): Promise<void> {
  if (readComposer(await terminal.look()).state !== "idle") await terminal.press("Escape");
}

const LIMIT_MS = 60_000;
const RETRY_MS = 1_000;
const DIALOG_MS = 500;
const LOOK_EVERY_MS = 50;
/** The maximum time by which the transcript lags behind the screen, in milliseconds. */
const TRANSCRIPT_MS = 300;
/** The idle time after which Claude is assumed to have no turn for the message, in milliseconds. */
const SILENCE_MS = 3_000;

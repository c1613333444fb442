import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../../../../contracts/terminal.ts";
import { clearDraft } from "./clear-draft.ts";
import { readComposer } from "./composer.ts";
import type { SentMessages } from "./sent-messages.ts";

/** The parts of a connection that the recovery uses. */
export interface RecoveryParts {
  readonly terminal: Terminal;
  readonly sent: SentMessages;
  /** Resolves when the existing hook messages and transcript lines are read. */
  readonly caughtUp: Promise<unknown>;
  /** True if Claude has started to work on the last message. */
  hasStarted(): boolean;
}

/**
 * Determines whether Claude received the last message from a previous owner that died. If not, clears the rest of the
 * message from the input line and returns `undelivered`.
 */
export async function recoverDelivery(parts: RecoveryParts): Promise<"delivered" | "undelivered"> {
  const { terminal, sent, caughtUp, hasStarted } = parts;
  await Promise.race([caughtUp, delay(CATCH_UP_MS)]);
  if (sent.isEmpty) return "undelivered"; // a message is stored before it is typed, so none was typed
  for (const end = performance.now() + GRACE_MS; performance.now() < end; ) {
    if (hasStarted() || readComposer(await terminal.look()).state !== "idle") return "delivered";
    await delay(LOOK_EVERY_MS);
  }
  await terminal.exclusively(() => clearDraft(terminal, (draft) => sent.has(draft)));
  return "undelivered";
}

const CATCH_UP_MS = 5_000;
/** The time within which the transcript reports a message that was just submitted, in milliseconds. */
const GRACE_MS = 1_500;
const LOOK_EVERY_MS = 50;

import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../../../core/terminal.ts";
import { clearDraft } from "./clear-draft.ts";
import { readComposer } from "./composer.ts";
import type { Sent } from "./sent.ts";

export interface TakingUp {
  readonly terminal: Terminal;
  readonly sent: Sent;
  /** Resolves once all has been read that was there before us. */
  readonly caughtUp: Promise<unknown>;
  /** Whether Claude has begun to work on what was sent last. */
  hasBegun(): boolean;
}

/**
 * Finds out what became of the message that was sent last by somebody who died since. Where Claude never got it, what
 * stands of it in its input line is cleared, and the answer is `undelivered`.
 */
export async function takeUp(taking: TakingUp): Promise<"taken" | "undelivered"> {
  const { terminal, sent, caughtUp, hasBegun } = taking;
  await Promise.race([caughtUp, delay(CATCH_UP_MS)]);
  if (sent.isEmpty) return "undelivered"; // what is typed is on record before
  for (const end = performance.now() + GRACE_MS; performance.now() < end; ) {
    if (hasBegun() || readComposer(await terminal.look()).state !== "idle") return "taken";
    await delay(LOOK_EVERY_MS);
  }
  await terminal.exclusively(() => clearDraft(terminal, (draft) => sent.has(draft)));
  return "undelivered";
}

const CATCH_UP_MS = 5_000;
/** What was sent off in the last moment may still be on its way. */
const GRACE_MS = 1_500;
const LOOK_EVERY_MS = 50;

import type { Halyard, Session } from "../../contracts/halyard.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { TurnId } from "../../schema/id.ts";
import type { Outcome } from "../../schema/outcome.ts";
import { HandoffTarget } from "../../schema/session.ts";
import { type Console, warn } from "../console/console.ts";

/** The session that continues another session's work, and its first turn. */
export interface NextSession {
  readonly session: Session;
  readonly turnId: TurnId;
}

/**
 * Returns the session that continues the work of a turn after a usage limit. Returns undefined if the turn did not hand
 * off its work, or if the new session could not start. In the second case, prints the reason.
 */
export async function followHandoff(
  halyard: Halyard,
  session: Session,
  outcome: Outcome,
  console: Console,
): Promise<NextSession | undefined> {
  const target = HandoffTarget.safeParse(outcome.metadata?.handoff).data;
  if (target === undefined) return undefined;
  const result = await firstEvent(session, isHandoffResult);
  if (result?.type !== "system" || result.subtype === "warning") {
    await warn(console, [
      result?.type === "system"
        ? (result.text ?? "")
        : "The session ended before another session continued the work.",
    ]);
    return undefined;
  }
  const next = await halyard.resume(target.sessionId);
  const started = await firstEvent(next, isTurnStart);
  return started?.turnId && { session: next, turnId: started.turnId };
}

function isHandoffResult(event: StreamEvent): boolean {
  return event.type === "system" && event.data?.handoff !== undefined;
}

function isTurnStart(event: StreamEvent): boolean {
  return event.type === "system" && event.subtype === "turn_started";
}

/** Resolves with the first event that matches, or with undefined if the session ends first. */
async function firstEvent(
  session: Session,
  isSo: (event: StreamEvent) => boolean,
): Promise<StreamEvent | undefined> {
  for await (const event of session.events()) if (isSo(event)) return event;
  return undefined;
}

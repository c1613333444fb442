import type { Session } from "../core/halyard.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Format } from "./choices.ts";
import { createAsker } from "./console/asker.ts";
import type { Interrupts } from "./interrupts.ts";
import { AskingOutput } from "./output/asking-output.ts";
import { errorLine, errorText } from "./output/errors.ts";
import { createEventOutput } from "./output/event-output.ts";
import { type Terminal, throwIfUnwritable } from "./terminal.ts";

export interface PlayOptions {
  readonly format: Format;
  readonly interrupts: Interrupts;
  readonly timeoutMs?: number;
}

/**
 * Sends a message and shows its turn, and then the turns of messages that arrived from elsewhere meanwhile. Returns the
 * outcome of the last turn. Cancels the turn if standard output is closed.
 */
export async function playTurn(
  session: Session,
  text: string,
  terminal: Terminal,
  options: PlayOptions,
): Promise<Outcome> {
  const { out, err } = terminal;
  const { format, interrupts, timeoutMs } = options;
  const onInterrupt = interrupts.interrupt;
  const plain = await createEventOutput(format, terminal);
  const output = terminal.isAttended
    ? new AskingOutput(plain, createAsker(session, terminal, { format, onInterrupt }))
    : plain;
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const turn = session.send(text, { signal: out.closed, ...limit });
  interrupts.watch(session);
  let told: Outcome | undefined;
  try {
    const events = session.events({ after: session.openedAfter, signal: out.closed });
    for await (const event of events) {
      await output.write(event);
      if (event.type === "completion" && (told || event.turnId === turn.id)) told = event.outcome;
      if (told && isIdleAfter(event, session.info)) break;
    }
  } finally {
    output.close();
  }
  const outcome = told ?? (await turn.outcome);
  throwIfUnwritable(terminal);
  if (outcome.error) {
    if (format === "json" && !told) await out.write(errorLine(outcome.error));
    await err.write(errorText(outcome.error, err.colors));
  }
  return outcome;
}

/** True if no turn runs or waits, and the log has nothing after the event. */
export function isIdleAfter({ seq }: StreamEvent, { turn, queue, lastSeq }: SessionInfo): boolean {
  return turn === undefined && queue.length === 0 && seq >= lastSeq;
}

import type { Session } from "../core/halyard.ts";
import type { Outcome } from "../schema/outcome.ts";
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

/** Sends a message and shows what comes of it. Where nobody reads any more, the turn ends. */
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
  interrupts.watch(session, turn);
  let isTold = false;
  try {
    const events = session.events({ after: session.openedAfter, signal: out.closed });
    for await (const event of events) {
      await output.write(event);
      isTold = event.type === "completion" && event.turnId === turn.id;
      if (isTold) break;
    }
  } finally {
    output.close();
  }
  const outcome = await turn.outcome;
  throwIfUnwritable(terminal);
  if (outcome.error) {
    if (format === "json" && !isTold) await out.write(errorLine(outcome.error));
    await err.write(errorText(outcome.error, err.colors));
  }
  return outcome;
}

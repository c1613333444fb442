import type { Session, Turn } from "../core/halyard.ts";
import { errorTable } from "../schema/error-table.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { Format } from "./choices.ts";
import { createAsker } from "./console/asker.ts";
import { AskingOutput } from "./output/asking-output.ts";
import { errorText } from "./output/errors.ts";
import { createEventOutput } from "./output/event-output.ts";
import { type Terminal, throwIfUnwritable } from "./terminal.ts";

/** Shows what comes of a message until its turn ends. The turn is not ours: who leaves, leaves it running. */
export async function watchTurn(
  session: Session,
  turn: Turn,
  terminal: Terminal,
  { format }: { format: Format },
): Promise<Outcome> {
  const { out, err } = terminal;
  const onInterrupt = createInterrupt(turn, terminal);
  process.on("SIGINT", onInterrupt);
  const plain = await createEventOutput(format, terminal);
  const output = terminal.isAttended
    ? new AskingOutput(plain, createAsker(session, terminal, { format, onInterrupt }))
    : plain;
  try {
    for await (const event of turn) {
      if (out.closed.aborted) break;
      await output.write(event);
    }
  } finally {
    output.close();
    process.off("SIGINT", onInterrupt);
  }
  throwIfUnwritable(terminal);
  const outcome = await turn.outcome;
  if (outcome.error) await err.write(errorText(outcome.error, err.colors));
  return outcome;
}

/** Ctrl-C ends the turn, and a second one waits for nothing. */
function createInterrupt(turn: Turn, { err }: Terminal): () => void {
  let isRequested = false;
  return () => {
    if (isRequested) process.exit(errorTable.cancelled.exitCode);
    isRequested = true;
    const text = "interrupting the turn; Ctrl-C again leaves it to itself";
    void err.write(`\n${err.colors.yellow(text)}\n`).catch(() => {}); // nobody there to tell
    turn.cancel("interrupted").catch(() => {}); // the turn's outcome tells of it
  };
}

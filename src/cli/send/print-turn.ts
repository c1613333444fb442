import type { Session } from "../../contracts/halyard.ts";
import type { Turn } from "../../contracts/turn.ts";
import { errorTable } from "../../schema/error-table.ts";
import type { Outcome } from "../../schema/outcome.ts";
import type { Format } from "../choices.ts";
import { type Console, throwIfUnwritable } from "../console/console.ts";
import { errorText } from "../output/errors.ts";
import { createEventOutput } from "../output/event-output.ts";
import { createAsker } from "../permission-prompt/asker.ts";
import { AskingOutput } from "../permission-prompt/asking-output.ts";

/** Prints the events of a turn and returns the outcome. The turn continues if standard output is closed. */
export async function printTurn(
  session: Session,
  turn: Turn,
  console: Console,
  { format }: { format: Format },
): Promise<Outcome> {
  const { out, err } = console;
  const onInterrupt = createInterrupt(turn, console);
  process.on("SIGINT", onInterrupt);
  const plain = await createEventOutput(format, console);
  const output = console.isAttended
    ? new AskingOutput(plain, createAsker(session, console, { format, onInterrupt }))
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
  throwIfUnwritable(console);
  const outcome = await turn.outcome;
  if (outcome.error) await err.write(errorText(outcome.error, err.colors));
  return outcome;
}

/** Returns a handler for Ctrl-C: the first press cancels the turn, the second exits immediately. */
function createInterrupt(turn: Turn, { err }: Console): () => void {
  let isRequested = false;
  return () => {
    if (isRequested) process.exit(errorTable.cancelled.exitCode);
    isRequested = true;
    const text = "Interrupting the turn. Press Ctrl-C again to exit immediately.";
    void err.write(`\n${err.colors.yellow(text)}\n`).catch(() => {}); // the sink drops text if stderr is closed
    turn.cancel("interrupted").catch(() => {}); // the outcome of the turn reports the error
  };
}

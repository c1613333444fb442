import { HalyardError } from "../core/error.ts";
import type { Halyard, Session } from "../core/halyard.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { Outcome } from "../schema/outcome.ts";
import { takePendingInput } from "./console/pending-input.ts";
import { errorText } from "./output/errors.ts";
import { isIdleAfter, type PlayOptions } from "./play-turn.ts";
import { type Terminal, throwIfUnwritable } from "./terminal.ts";
import { viewSession } from "./view-session.ts";

export type ScreenPlayOptions = Omit<PlayOptions, "format">;

/**
 * Sends a message and shows its turn above a message line, whose lines are queued or are commands as in `attach`. Returns
 * the outcome of the last turn once no turn runs or waits. Stops the session if the person leaves before that.
 */
export async function playOnScreen(
  halyard: Halyard,
  session: Session,
  text: string,
  terminal: Terminal,
  { interrupts, timeoutMs }: ScreenPlayOptions,
): Promise<Outcome | "handed over"> {
  const { out, err, input } = terminal;
  takePendingInput(input); // typed for the shell before there was a message line
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const turn = session.send(text, { signal: out.closed, ...limit });
  interrupts.watch(session);
  let told: Outcome | undefined;
  const isOver = (event: StreamEvent): boolean => {
    if (event.type === "completion" && (told || event.turnId === turn.id)) told = event.outcome;
    return told !== undefined && isIdleAfter(event, session.info);
  };
  let isHandedOver = Promise.resolve(false);
  const handOver = async (): Promise<void> => {
    const detached = detach(session);
    isHandedOver = detached.then(
      () => true,
      () => false, // shown on the screen
    );
    await detached;
  };
  await viewSession(halyard, session, terminal, {
    after: session.openedAfter,
    signal: out.closed,
    isOver,
    handOver,
    onInterrupt: (say) => {
      interrupts.sayBy(say);
      interrupts.interrupt();
    },
  });
  if (await isHandedOver) return "handed over";
  const isLeftEarly = session.info.turn !== undefined || session.info.queue.length > 0;
  if (isLeftEarly) await session.stop("the run was left");
  const last = told ?? (await turn.outcome);
  const outcome: Outcome = isLeftEarly ? { ...last, status: "cancelled" } : last;
  throwIfUnwritable(terminal);
  if (outcome.error) await err.write(errorText(outcome.error, err.colors));
  return outcome;
}

/** Leaves the runtime running for another process. Rejects if it ends with this one. */
async function detach(session: Session): Promise<void> {
  await session.ready();
  try {
    await session.detach();
  } catch (error) {
    if (!(error instanceof HalyardError && error.code === "unsupported")) throw error;
    throw new HalyardError(
      "unsupported",
      `${session.info.runtime} runs inside this process and cannot be handed over. "halyard run --detach" starts a session in the daemon.`,
      { cause: error },
    );
  }
}

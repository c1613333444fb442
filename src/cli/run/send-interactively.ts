import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import type { MessageInput } from "../../schema/attachment.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { Outcome } from "../../schema/outcome.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import { viewSession } from "../attach/view-session.ts";
import { type Console, throwIfUnwritable } from "../console/console.ts";
import { takePendingInput } from "../console/pending-input.ts";
import { errorText } from "../output/errors.ts";
import { isIdleAfter, type SendAndPrintOptions } from "./send-and-print.ts";

export type InteractiveOptions = Omit<SendAndPrintOptions, "format">;

/**
 * Sends a message and shows its turn above an input line. Typed lines are commands, as in `attach`, or are queued as
 * messages. Returns the outcome of the last turn when no turn is running or queued. Returns `handed over` if the user hands
 * the session over to the daemon. Stops the session if the user leaves earlier.
 */
export async function sendInteractively(
  halyard: Halyard,
  session: Session,
  message: string | MessageInput,
  console: Console,
  { interrupts, timeoutMs, notify }: InteractiveOptions,
): Promise<Outcome | "handed over"> {
  const { out, err, input } = console;
  takePendingInput(input); // discards text that was typed before the input line was drawn
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const turn = session.send(message, { signal: out.closed, ...limit });
  interrupts.watch(session);
  let observed: Outcome | undefined;
  const isOver = (event: StreamEvent): boolean => {
    if (event.type === "completion" && (observed || event.turnId === turn.id))
      observed = event.outcome;
    return observed !== undefined && isIdleAfter(event, session.info);
  };
  let isHandedOver = Promise.resolve(false);
  const handOver = async (): Promise<void> => {
    const detached = detach(session);
    isHandedOver = detached.then(
      () => true,
      () => false, // the view already shows the error
    );
    await detached;
  };
  await viewSession(halyard, session, console, {
    after: session.openedAfter,
    signal: out.closed,
    isOver,
    handOver,
    ...(notify && { notify }),
    onInterrupt: (print) => {
      interrupts.printWith(print);
      interrupts.interrupt();
    },
  });
  if (await isHandedOver) return "handed over";
  const isLeftEarly = openTurnOf(session.info) !== undefined;
  if (isLeftEarly) await session.stop("the user left the run");
  const last = observed ?? (await turn.outcome);
  const outcome: Outcome = isLeftEarly ? { ...last, status: "cancelled" } : last;
  throwIfUnwritable(console);
  if (outcome.error) await err.write(errorText(outcome.error, err.colors));
  return outcome;
}

/** Detaches from the runtime so that another process can attach to it. Rejects if the runtime runs in this process. */
async function detach(session: Session): Promise<void> {
  await session.ready();
  try {
    await session.detach();
  } catch (error) {
    if (!(error instanceof HalyardError && error.code === "unsupported")) throw error;
    throw new HalyardError(
      "unsupported",
      `${session.info.runtime} runs inside this process and cannot be handed over. Run "halyard run --detach PROMPT" to start a session in the daemon.`,
      { cause: error },
    );
  }
}

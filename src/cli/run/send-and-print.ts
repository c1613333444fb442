import { anySignal } from "../../async/any-signal.ts";
import type { Session } from "../../contracts/halyard.ts";
import type { MessageInput } from "../../schema/attachment.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { TurnId } from "../../schema/id.ts";
import type { Outcome } from "../../schema/outcome.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Format, NotifyMode } from "../choices.ts";
import { type Console, throwIfUnwritable } from "../console/console.ts";
import { errorLine, errorText } from "../output/errors.ts";
import { createEventOutput } from "../output/event-output.ts";
import { createNotifier } from "../output/notifier.ts";
import { createAsker } from "../permission-prompt/asker.ts";
import { AskingOutput } from "../permission-prompt/asking-output.ts";
import type { Interrupts } from "./interrupts.ts";

export interface SendAndPrintOptions {
  readonly format: Format;
  readonly interrupts: Interrupts;
  /** How the user is notified of requests and ended turns. Defaults to `off`. */
  readonly notify?: NotifyMode;
  readonly timeoutMs?: number;
  /** A turn that was already sent. Its events are printed, and the message is ignored. */
  readonly turnId?: TurnId;
}

/**
 * Sends a message and prints its turn, and then the turns of messages that other processes queued in the meantime.
 * Returns the outcome of the last turn. Cancels the turn if standard output is closed.
 */
export async function sendAndPrint(
  session: Session,
  message: string | MessageInput,
  console: Console,
  options: SendAndPrintOptions,
): Promise<Outcome> {
  const { out, err } = console;
  const { format, interrupts, timeoutMs, turnId, notify: mode = "off" } = options;
  const isText = format === "text" && out.isTTY;
  const notify = createNotifier({
    mode,
    isTTY: isText,
    env: console.env,
    after: session.openedAfter,
  });
  const onInterrupt = interrupts.interrupt;
  const plain = await createEventOutput(format, console);
  const output = console.isAttended
    ? new AskingOutput(plain, createAsker(session, console, { format, onInterrupt }))
    : plain;
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const sent = turnId === undefined ? {} : { id: turnId };
  const turn = session.send(message, { signal: out.closed, ...limit, ...sent });
  interrupts.watch(session);
  let observed: Outcome | undefined;
  const unrecorded = new AbortController();
  void turn.outcome.then(async ({ status }) => {
    if (status === "failed" && !(await isRecorded(session, turn.id))) unrecorded.abort();
  });
  try {
    const signal = anySignal([out.closed, unrecorded.signal]);
    const events = session.events({ after: session.openedAfter, signal });
    for await (const event of events) {
      await output.write(event);
      const notification = notify(event, session.info);
      if (notification !== "") await out.write(notification);
      if (event.type === "completion" && (observed || event.turnId === turn.id))
        observed = event.outcome;
      if (observed && isIdleAfter(event, session.info)) break;
    }
  } finally {
    output.close();
  }
  const outcome = observed ?? (await turn.outcome);
  throwIfUnwritable(console);
  if (outcome.error) {
    if (format === "json" && !observed) await out.write(errorLine(outcome.error));
    await err.write(errorText(outcome.error, err.colors));
  }
  return outcome;
}

/** True if the log contains the end of the turn. It contains none if the message was rejected, such as for its image. */
async function isRecorded(session: Session, turnId: TurnId): Promise<boolean> {
  for await (const event of session.events({ after: session.openedAfter, follow: false }))
    if (event.type === "completion" && event.turnId === turnId) return true;
  return false;
}

/** True if no turn is running or queued, and the log has no later event. */
export function isIdleAfter({ seq }: StreamEvent, { turn, queue, lastSeq }: SessionInfo): boolean {
  return turn === undefined && queue.length === 0 && seq >= lastSeq;
}

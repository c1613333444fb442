import { stdout } from "node:process";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { NotifyMode } from "../choices.ts";
import type { Console } from "../console/console.ts";
import { createNotifier } from "../output/notifier.ts";
import { TextRenderer } from "../output/text.ts";
import { Activity } from "./activity.ts";
import { AttachedView } from "./attached-view.ts";
import { LiveScreen } from "./live-screen.ts";

export interface ViewOptions {
  /** The `seq` after which events are shown. */
  readonly after: number;
  /** Closes the view when aborted, as Ctrl-D does. */
  readonly signal?: AbortSignal;
  /**
   * Returns true for the event after which the view closes, unless a message is being typed. If omitted, no event
   * closes the view.
   */
  readonly isOver?: (event: StreamEvent) => boolean;
  /** How the user is notified of requests and ended turns. Defaults to `off`. */
  readonly notify?: NotifyMode;
  /**
   * Called for Ctrl-C instead of interrupting the turn, except after `isOver` has returned true: Ctrl-C then closes the
   * view. `print` shows a line.
   */
  readonly onInterrupt?: (print: (line: string) => void) => void;
  /** Hands the session over to the daemon, for Ctrl-Z and `/detach`. */
  readonly handOver?: () => Promise<void>;
}

/**
 * Shows a session on this console and sends typed lines, until the user or `signal` closes the view, the session ends,
 * or `isOver` returns true. Returns "left" if the user or `signal` closed the view, otherwise "ended".
 */
export async function viewSession(
  halyard: Halyard,
  session: Session,
  { out, input, canAnimate, env }: Console,
  { after, signal, isOver, onInterrupt, handOver, notify: mode = "off" }: ViewOptions,
): Promise<"left" | "ended"> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  signal?.addEventListener("abort", leave, { once: true });
  const fail = (error: unknown) => leaving.abort(error);
  const { colors } = out;
  const renderer = new TextRenderer({
    colors,
    columns: () => out.columns,
    echo: true,
    markdown: out.isRich,
  });
  let view: AttachedView | undefined;
  let isDone = false;
  const takeLine = async (line: string): Promise<void> => {
    if (isDone && line.trim() === "") return leave();
    isDone = false;
    await view?.takeLine(line);
  };
  const interrupt = async (): Promise<void> => {
    if (isDone) return leave();
    if (onInterrupt) onInterrupt((line) => view?.note(line));
    else await view?.interrupt();
  };
  using screen = new LiveScreen({
    input,
    output: stdout,
    onLine: (line) => void takeLine(line).catch(fail),
    onAnswer: (line) => void view?.takeAnswer(line).catch(fail),
    onInterrupt: () => void interrupt().catch(fail),
    onLeave: leave,
    onSuspend: handOver && (() => void view?.handOver().catch(fail)),
  });
  const columns = () => out.columns;
  view = new AttachedView({ halyard, session, screen, renderer, colors, columns, leave, handOver });
  const activity = new Activity();
  const last = Math.max(session.openedAfter, isOver ? 0 : session.info.lastSeq);
  const notify = createNotifier({ mode, isTTY: out.isTTY, env, after: last });
  const showStatus = () => {
    const text = activity.describe(out.columns - 2, Date.now());
    screen.showStatus(
      text && colors.dim(`${FRAMES[Math.floor(Date.now() / TICK_MS) % 4]} ${text}`),
    );
  };
  const clock = setInterval(() => canAnimate && showStatus(), TICK_MS);
  try {
    for await (const event of session.events({ after, signal: leaving.signal })) {
      activity.note(event);
      if (activity.isAtRest) screen.showStatus("");
      view.show(event);
      stdout.write(notify(event, session.info)); // the notification does not move the cursor
      isDone = isOver?.(event) ?? false;
      if (isDone && screen.draft === "") break;
      if (isDone) view.note("The turn has ended. Enter sends the message, Ctrl-C leaves.");
    }
  } finally {
    clearInterval(clock);
    signal?.removeEventListener("abort", leave);
    screen.showStatus("");
  }
  const { reason } = leaving.signal;
  if (reason instanceof Error && reason.name !== "AbortError") throw reason;
  return leaving.signal.aborted ? "left" : "ended";
}

const TICK_MS = 250;
const FRAMES = ["◐", "◓", "◑", "◒"];

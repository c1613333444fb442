import { stdout } from "node:process";
import type { Halyard, Session } from "../core/halyard.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import { AttachedView } from "./attached-view.ts";
import { findLastEvent } from "./last-outcome.ts";
import { Activity } from "./output/activity.ts";
import { LiveScreen } from "./output/live-screen.ts";
import { TextRenderer } from "./output/text.ts";
import type { Terminal } from "./terminal.ts";

export interface ViewOptions {
  /** The `seq` after which events are shown. */
  readonly after: number;
  /** Leaves, as Ctrl-D does. */
  readonly signal?: AbortSignal;
}

/** Shows a session on this console and sends what is typed, until the person leaves or the session ends. */
export async function viewSession(
  halyard: Halyard,
  session: Session,
  { out, input, isLively }: Terminal,
  { after, signal }: ViewOptions,
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
  using screen = new LiveScreen({
    input,
    output: stdout,
    onLine: (line) => void view?.takeLine(line).catch(fail),
    onAnswer: (line) => void view?.takeAnswer(line).catch(fail),
    onInterrupt: () => void view?.interrupt().catch(fail),
    onLeave: leave,
  });
  view = new AttachedView({ halyard, session, screen, renderer, colors, leave });
  const activity = new Activity();
  const showStatus = () => {
    const text = activity.describe(out.columns - 2, Date.now());
    screen.showStatus(
      text && colors.dim(`${FRAMES[Math.floor(Date.now() / TICK_MS) % 4]} ${text}`),
    );
  };
  const clock = setInterval(() => isLively && showStatus(), TICK_MS);
  try {
    for await (const event of session.events({ after, signal: leaving.signal })) {
      activity.note(event);
      if (activity.isAtRest) screen.showStatus("");
      view.show(event);
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

/** The `seq` before the running turn, or before the last one. */
export async function firstShown(halyard: Halyard, info: SessionInfo): Promise<number> {
  const running = info.turn ?? info.queue[0];
  if (running) return running.seq - 1;
  const isStart = (event: StreamEvent) =>
    event.type === "system" && event.subtype === "turn_started";
  const start = info.turns === 0 ? undefined : await findLastEvent(halyard, info, isStart);
  return start ? start.seq - 1 : info.lastSeq;
}

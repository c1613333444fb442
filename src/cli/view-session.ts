import { stdout } from "node:process";
import type { Session } from "../core/halyard.ts";
import type { SessionInfo } from "../schema/session.ts";
import { AttachedView } from "./attached-view.ts";
import { LiveScreen } from "./output/live-screen.ts";
import { TextRenderer } from "./output/text.ts";
import type { Terminal } from "./terminal.ts";

export interface ViewOptions {
  /** The `seq` after which events are shown. */
  readonly after: number;
  /** Leaves it as Ctrl-D does. */
  readonly signal?: AbortSignal;
}

/** Shows a session on this terminal and passes on what is typed, until somebody leaves it or it has ended. */
export async function viewSession(
  session: Session,
  { out, input }: Terminal,
  { after, signal }: ViewOptions,
): Promise<"left" | "ended"> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  signal?.addEventListener("abort", leave, { once: true });
  const renderer = new TextRenderer({ colors: out.colors, columns: () => out.columns, echo: true });
  let view: AttachedView | undefined;
  using screen = new LiveScreen({
    input,
    output: stdout,
    onLine: (line) => void view?.take(line).catch((error) => leaving.abort(error)),
    onInterrupt: () => void view?.interrupt().catch((error) => leaving.abort(error)),
    onLeave: leave,
  });
  view = new AttachedView({ session, screen, renderer, colors: out.colors });
  for await (const event of session.events({ after, signal: leaving.signal })) view.show(event);
  signal?.removeEventListener("abort", leave);
  const { reason } = leaving.signal;
  if (reason instanceof Error && reason.name !== "AbortError") throw reason;
  return leaving.signal.aborted ? "left" : "ended";
}

/** The turn under way from its beginning, or what comes. */
export function firstShown({ turn, queue, lastSeq }: SessionInfo): number {
  const first = turn ?? queue[0];
  return first ? first.seq - 1 : lastSeq;
}

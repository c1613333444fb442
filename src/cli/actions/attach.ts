import { stdout } from "node:process";
import { HalyardError } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import type { Session } from "../../core/halyard.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { AttachedView } from "../attached-view.ts";
import { openDaemon } from "../open-daemon.ts";
import { LiveScreen } from "../output/live-screen.ts";
import { TextRenderer } from "../output/text.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { viewScreen } from "../view-screen.ts";

export async function attach(name: string, { all = false }: { all?: boolean }): Promise<number> {
  const terminal = openTerminal();
  const { out, err, input } = terminal;
  if (!terminal.isAttended || !out.isTerminal)
    throw new HalyardError(
      "invalid_input",
      `attach needs a terminal; \`halyard events ${name} --follow\` shows the same to a program`,
    );
  await using halyard = await openDaemon(terminal);
  const info = await findSession(halyard, name);
  if (info.host === "tmux") {
    await viewScreen(info, terminal);
    return 0;
  }
  const session = await halyard.session(info.id);
  await out.write(heading(info, terminal));
  const leaving = new AbortController();
  const renderer = new TextRenderer({ colors: out.colors, columns: () => out.columns, echo: true });
  let view: AttachedView | undefined;
  using screen = new LiveScreen({
    input,
    output: stdout,
    onLine: (line) => void view?.take(line).catch((error) => leaving.abort(error)),
    onInterrupt: () => void view?.interrupt().catch((error) => leaving.abort(error)),
    onLeave: () => leaving.abort(),
  });
  view = new AttachedView({ session, screen, renderer, colors: out.colors });
  await watch(session, view, { after: all ? 0 : firstOf(info), signal: leaving.signal });
  screen[Symbol.dispose]();
  const { reason } = leaving.signal;
  if (reason instanceof Error && reason.name !== "AbortError") throw reason;
  const end = leaving.signal.aborted
    ? `it goes on; come back: halyard attach ${name}`
    : "it has ended";
  await err.write(`\n${err.colors.dim(end)}\n`);
  return 0;
}

async function watch(
  session: Session,
  view: AttachedView,
  options: { after: number; signal: AbortSignal },
): Promise<void> {
  for await (const event of session.events(options)) view.show(event);
}

/** The turn under way from its beginning, or what comes. */
function firstOf({ turn, queue, lastSeq }: SessionInfo): number {
  const first = turn ?? queue[0];
  return first ? first.seq - 1 : lastSeq;
}

function heading({ id, name, runtime, cwd, state }: SessionInfo, { out }: Terminal): string {
  const who = name === undefined ? id : `${name} (${id})`;
  const keys = "Enter sends · Ctrl-C interrupts · Ctrl-D leaves, and it goes on";
  return `${out.colors.dim(`${runtime} · ${tilde(cwd)} · ${who} · ${state}\n${keys}`)}\n\n`;
}

import { HalyardError } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { beforeLastTurn } from "../last-turn.ts";
import { openDaemon } from "../open-daemon.ts";
import { sessionHeading } from "../output/session-heading.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { viewScreen } from "../view-screen.ts";
import { viewSession } from "../view-session.ts";

export interface AttachOptions {
  readonly all?: boolean;
  readonly plain?: boolean;
}

export async function attach(name: string, { all = false, plain }: AttachOptions): Promise<number> {
  const terminal = openTerminal({ plain });
  const { out, err } = terminal;
  if (!terminal.isAttended || !out.isTerminal)
    throw new HalyardError(
      "invalid_input",
      `attach needs a terminal. Run "halyard events ${name} --follow" to read the events in a program.`,
    );
  await using halyard = await openDaemon(terminal);
  const info = await findSession(halyard, name);
  if (info.host === "tmux") {
    await viewScreen(info, terminal);
    return 0;
  }
  const session = await halyard.session(info.id);
  await out.write(heading(info, terminal));
  const after = all ? 0 : await beforeLastTurn(halyard, info);
  const end = await viewSession(halyard, session, terminal, { after });
  const words =
    end === "left"
      ? `The session continues. Come back: halyard attach ${name}`
      : "The session has ended.";
  await err.write(`\n${err.colors.dim(words)}\n`);
  return 0;
}

function heading(info: SessionInfo, { out }: Terminal): string {
  const keys = "Enter sends · /help lists commands · Ctrl-C interrupts · Ctrl-D leaves";
  return `${out.colors.dim(`${sessionHeading(info)} · ${info.state}\n${keys}`)}\n\n`;
}

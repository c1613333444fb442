import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { type Console, openConsole } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { sessionHeading } from "../output/session-heading.ts";
import { beforeLastTurn } from "./last-turn.ts";
import { viewScreen } from "./view-screen.ts";
import { viewSession } from "./view-session.ts";

export interface AttachOptions {
  readonly all?: boolean;
  readonly plain?: boolean;
}

export async function attach(name: string, { all = false, plain }: AttachOptions): Promise<number> {
  const console = openConsole({ plain });
  const { out, err } = console;
  if (!console.isAttended || !out.isTTY)
    throw new HalyardError(
      "invalid_input",
      `attach needs a console. Run "halyard events ${name} --follow" to read the events in a program.`,
    );
  await using halyard = await openDaemon(console);
  const info = await findSession(halyard, name);
  if (info.host === "tmux") {
    await viewScreen(info, console);
    return 0;
  }
  const session = await halyard.session(info.id);
  await out.write(heading(info, console));
  const after = all ? 0 : await beforeLastTurn(halyard, info);
  const end = await viewSession(halyard, session, console, { after });
  const farewell =
    end === "left"
      ? `The session continues. To return: halyard attach ${name}`
      : "The session has ended.";
  await err.write(`\n${err.colors.dim(farewell)}\n`);
  return 0;
}

function heading(info: SessionInfo, { out }: Console): string {
  const keys = "Enter sends · /help lists commands · Ctrl-C interrupts · Ctrl-D leaves";
  return `${out.colors.dim(`${sessionHeading(info)} · ${info.state}\n${keys}`)}\n\n`;
}

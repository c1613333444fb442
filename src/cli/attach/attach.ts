import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { NotifyMode } from "../choices.ts";
import { type Console, openConsole } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { sessionHeading } from "../output/session-heading.ts";
import { openForMessage } from "../send/open-for-message.ts";
import { beforeLastTurn } from "./last-turn.ts";
import { viewScreen } from "./view-screen.ts";
import { viewSession } from "./view-session.ts";

export interface AttachOptions {
  readonly all?: boolean;
  readonly plain?: boolean;
  readonly notify: NotifyMode;
}

export async function attach(
  name: string,
  { all = false, plain, notify }: AttachOptions,
): Promise<number> {
  const console = openConsole({ plain });
  const { out, err } = console;
  if (!console.isAttended || !out.isTTY)
    throw new HalyardError(
      "invalid_input",
      `"halyard attach" needs a console. Run "halyard events ${name} --follow" to follow the events without one.`,
    );
  await using halyard = await openDaemon(console, { hosts: true });
  const info = await findSession(halyard, name);
  if (info.host === "tmux" && info.machine === undefined) {
    await viewScreen(info, console);
    return 0;
  }
  const isLive = liveStates.includes(info.state);
  const session = await (isLive
    ? openForMessage(halyard, info, console)
    : halyard.session(info.id));
  await out.write(heading(info, console));
  const after = all ? 0 : await beforeLastTurn(halyard, info);
  const end = await viewSession(halyard, session, console, { after, notify });
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

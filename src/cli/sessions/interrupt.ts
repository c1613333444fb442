import { findSession } from "../../halyard/find-session.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import { openConsole } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";

export async function interrupt(session: string): Promise<number> {
  const console = openConsole();
  await using halyard = await openDaemon(console, { hosts: true });
  const info = await findSession(halyard, session);
  const live = await halyard.session(info.id);
  if (openTurnOf(live.info) === undefined) {
    await console.err.write(`${info.id} has no running turn to interrupt.\n`);
    return 0;
  }
  await live.interrupt();
  await console.err.write(`Interrupted. ${info.id} waits for the next message.\n`);
  return 0;
}

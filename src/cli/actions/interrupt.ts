import { findSession } from "../../core/find-session.ts";
import { openDaemon } from "../open-daemon.ts";
import { openTerminal } from "../terminal.ts";

export async function interrupt(session: string): Promise<number> {
  const terminal = openTerminal();
  await using halyard = await openDaemon(terminal);
  const info = await findSession(halyard, session);
  const live = await halyard.session(info.id);
  if (live.info.turn === undefined && live.info.queue.length === 0) {
    await terminal.err.write(`${info.id} is in no turn: nothing to interrupt\n`);
    return 0;
  }
  await live.interrupt();
  await terminal.err.write(`interrupted; ${info.id} takes the next message\n`);
  return 0;
}

import { exitCodeOf } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import type { Format } from "../choices.ts";
import { openConsole } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { printTurn } from "../send/print-turn.ts";
import { readResumeOptions } from "../start-request.ts";

export interface CompactFlags {
  readonly format: Format;
  readonly plain?: boolean;
}

/** Compacts the conversation of a session and prints the turn. Resumes the session if it has ended. */
export async function compactSession(session: string, options: CompactFlags): Promise<number> {
  const console = openConsole(options);
  await using halyard = await openDaemon(console, { hosts: true });
  const info = await findSession(halyard, session);
  const live = liveStates.includes(info.state)
    ? await halyard.session(info.id)
    : await halyard.resume(info.id, await readResumeOptions({}, info, console));
  const turn = live.compact();
  await requireTaken(turn);
  return exitCodeOf(await printTurn(live, turn, console, options));
}

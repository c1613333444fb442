import { HalyardError } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import type { Halyard } from "../../core/halyard.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { liveStates } from "../../schema/session-state.ts";
import { openDaemon } from "../open-daemon.ts";
import { openTerminal } from "../terminal.ts";

export interface StopOptions {
  readonly all?: boolean;
}

export async function stop(
  names: readonly string[],
  { all = false }: StopOptions,
): Promise<number> {
  if (!all && names.length === 0)
    throw new HalyardError(
      "invalid_input",
      "name a session, or say --all\nSee halyard stop --help.",
    );
  const { out } = openTerminal();
  await using halyard = await openDaemon(openTerminal());
  const chosen = all ? await halyard.sessions({ states: liveStates }) : await find(halyard, names);
  for (const info of chosen) {
    if (!liveStates.includes(info.state)) {
      await out.write(`${info.id} has ended already${info.reason ? `: ${info.reason}` : ""}\n`);
      continue;
    }
    await halyard.stop(info.id);
    await out.write(`${info.id} stopped\n`);
  }
  return 0;
}

/** All of them, before any is touched. */
function find(halyard: Halyard, names: readonly string[]): Promise<SessionInfo[]> {
  return Promise.all(names.map((name) => findSession(halyard, name)));
}

import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { liveStates } from "../../schema/session-state.ts";
import { openConsole } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";

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
      "Name a session, or pass --all to stop all live sessions.\nSee halyard stop --help.",
    );
  const { out } = openConsole();
  await using halyard = await openDaemon(openConsole());
  const chosen = all
    ? await halyard.sessions({ states: liveStates })
    : await findAll(halyard, names);
  for (const info of chosen) {
    if (!liveStates.includes(info.state)) {
      await out.write(`${info.id} has already ended${info.reason ? `: ${info.reason}` : ""}\n`);
      continue;
    }
    await halyard.stop(info.id);
    await out.write(`${info.id} stopped\n`);
  }
  return 0;
}

/** Finds all sessions before any of them is stopped. */
function findAll(halyard: Halyard, names: readonly string[]): Promise<SessionInfo[]> {
  return Promise.all(names.map((name) => findSession(halyard, name)));
}

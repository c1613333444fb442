import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError, toErrorInfo } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import type { SessionInfo } from "../../schema/session.ts";
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
      'No session was given. Pass a session, or --all to stop all live sessions. Run "halyard stop --help" for help.',
    );
  const console = openConsole();
  const { out, err } = console;
  await using halyard = await openDaemon(console, { hosts: !all }); // --all does not cover the machines in "halyard host list"
  const chosen = all
    ? await halyard.sessions({ states: liveStates })
    : await findAll(halyard, names);
  const failed: SessionInfo[] = [];
  for (const info of chosen) {
    if (!liveStates.includes(info.state)) {
      await out.write(`${info.id} has already ended${info.reason ? `: ${info.reason}` : ""}\n`);
      continue;
    }
    try {
      await halyard.stop(info.id);
      await out.write(`${info.id} stopped\n`);
    } catch (error) {
      if (chosen.length === 1) throw error;
      failed.push(info);
      await err.write(`${info.id} was not stopped: ${toErrorInfo(error).message}\n`);
    }
  }
  if (failed.length === 0) return 0;
  const ids = failed.map(({ id }) => id).join(" ");
  await err.write(
    `${failed.length} of ${chosen.length} sessions may still be running. Run "halyard stop ${ids}" to try again.\n`,
  );
  return 1;
}

/** Finds all sessions before the first one is stopped, so that an unknown name stops no session. */
function findAll(halyard: Halyard, names: readonly string[]): Promise<SessionInfo[]> {
  return Promise.all(names.map((name) => findSession(halyard, name)));
}

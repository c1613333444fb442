import { connectHalyard } from "../../client/index.ts";
import { findDaemon } from "../../daemon/find.ts";
import { stopDaemon } from "../../daemon/stop.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import { type Console, openConsole } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { daemonHome } from "./daemon-home.ts";

export async function daemonStop(): Promise<number> {
  const console = openConsole();
  const { env, err } = console;
  const daemon = await findDaemon(daemonHome(env));
  if (daemon === undefined) {
    await err.write("No daemon is running.\n");
    return 0;
  }
  await using halyard = await connectHalyard(daemon);
  const live = await halyard.sessions({ states: liveStates });
  await stopDaemon(daemon);
  const ids = live.length === 0 ? new Set<string>() : await liveIds(console);
  const continuing = live.filter(({ id }) => ids.has(id)).length;
  const ended = live.length - continuing;
  const sentences = [
    "The daemon has stopped.",
    ...(continuing === 1 ? ["1 session continues, and the next daemon attaches to it."] : []),
    ...(continuing > 1
      ? [`${continuing} sessions continue, and the next daemon attaches to them.`]
      : []),
    ...(ended > 0
      ? [`${ended} ${ended === 1 ? "session" : "sessions"} ended with the daemon.`]
      : []),
  ];
  await err.write(`${sentences.join(" ")}\n`);
  return 0;
}

/** Returns the ids of the sessions that are still live after the daemon has exited. Runtimes in its process have ended. */
async function liveIds(console: Console): Promise<Set<string>> {
  await using halyard = await openDaemonOrLocal(console);
  return new Set((await halyard.sessions({ states: liveStates })).map(({ id }) => id));
}

import { connectHalyard } from "../../client/index.ts";
import { findDaemon } from "../../daemon/find.ts";
import { stopDaemon } from "../../daemon/stop.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import { openConsole } from "../console/console.ts";
import { daemonHome } from "./daemon-home.ts";

export async function daemonStop(): Promise<number> {
  const { env, err } = openConsole();
  const daemon = await findDaemon(daemonHome(env));
  if (daemon === undefined) {
    await err.write("No daemon is running.\n");
    return 0;
  }
  await using halyard = await connectHalyard(daemon);
  const live = await halyard.sessions({ states: liveStates });
  await stopDaemon(daemon);
  const sessions =
    live.length === 1
      ? "1 session continues, and the next daemon attaches to it"
      : `${live.length} sessions continue, and the next daemon attaches to them`;
  await err.write(
    live.length === 0 ? "The daemon has stopped.\n" : `The daemon has stopped. ${sessions}.\n`,
  );
  return 0;
}

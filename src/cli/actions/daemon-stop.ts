import { connectHalyard } from "../../client/index.ts";
import { homeDirectory } from "../../config/paths.ts";
import { findDaemon } from "../../daemon/find.ts";
import { stopDaemon } from "../../daemon/stop.ts";
import { liveStates } from "../../schema/session-state.ts";
import { openTerminal } from "../terminal.ts";

export async function daemonStop(): Promise<number> {
  const { env, err } = openTerminal();
  const daemon = await findDaemon(homeDirectory(env));
  if (daemon === undefined) {
    await err.write("no daemon runs\n");
    return 0;
  }
  await using halyard = await connectHalyard(daemon);
  const live = await halyard.sessions({ states: liveStates });
  await stopDaemon(daemon);
  const many = `${live.length} ${live.length === 1 ? "session goes" : "sessions go"} on without it`;
  await err.write(
    live.length === 0
      ? "the daemon has ended\n"
      : `the daemon has ended; ${many}, and the next command takes hold of them again\n`,
  );
  return 0;
}

import { connectHalyard } from "../client/index.ts";
import { homeDirectory } from "../config/paths.ts";
import type { Halyard } from "../core/halyard.ts";
import type { RunningDaemon } from "../daemon/find.ts";
import { startDaemon } from "../daemon/start.ts";
import { stopDaemon } from "../daemon/stop.ts";
import { liveStates } from "../schema/session-state.ts";
import { type Terminal, warn } from "./terminal.ts";
import { isNewer, readVersion } from "./version.ts";

/** The Halyard of the daemon, which is started where none runs. */
export async function openDaemon(terminal: Terminal): Promise<Halyard> {
  const halyard = await connect(await ensureDaemon(terminal), terminal);
  return halyard ?? connectHalyard(await ensureDaemon(terminal));
}

/** The daemon is this very program. */
function ensureDaemon({ env }: Terminal): Promise<RunningDaemon> {
  const [node = "node", program = "halyard"] = process.argv;
  return startDaemon({ home: homeDirectory(env), command: [node, program, "daemon", "run"], env });
}

/** Undefined where the daemon was older than us and had nothing to do: it has ended, to be started anew. */
async function connect(daemon: RunningDaemon, terminal: Terminal): Promise<Halyard | undefined> {
  const halyard = await connectHalyard(daemon);
  const version = readVersion();
  if (!isNewer(version, daemon.version)) return halyard;
  const isBusy = (await halyard.sessions({ states: liveStates, limit: 1 })).length > 0;
  if (isBusy || daemon.kind === "foreground") {
    await warn(terminal, [
      `the daemon is Halyard ${daemon.version}, this is ${version}; \`halyard daemon stop\` has the next command start the new one`,
    ]);
    return halyard;
  }
  await halyard[Symbol.asyncDispose]();
  await stopDaemon(daemon);
  return undefined;
}

import { connectHalyard } from "../client/index.ts";
import { type Environment, homeDirectory } from "../config/paths.ts";
import type { Halyard } from "../contracts/halyard.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { RunningDaemon } from "../daemon/find.ts";
import { startDaemon } from "../daemon/start.ts";
import { stopDaemon } from "../daemon/stop.ts";
import { credentialsIn } from "../programs/environment.ts";
import type { SessionId } from "../schema/id.ts";
import { liveStates } from "../schema/session-state.ts";
import type { StartRequest } from "../schema/start-request.ts";
import { type Console, warn } from "./console/console.ts";
import { isNewer, readVersion } from "./version.ts";

/** Connects to the daemon, and starts it if none runs. Replaces an idle daemon of an older version. */
export async function openDaemon(console: Console): Promise<Halyard> {
  const halyard = await connect(await ensureDaemon(console), console);
  return withCredentials(
    halyard ?? (await connectHalyard(await ensureDaemon(console))),
    console.env,
  );
}

/** Sends the keys of this environment with every start and resume, because the daemon keeps its own environment. */
function withCredentials(halyard: Halyard, env: Environment): Halyard {
  const credentials = credentialsIn(env);
  const { start, resume } = halyard;
  return Object.assign(halyard, {
    start: (request: StartRequest) => start.call(halyard, { credentials, ...request }),
    resume: (id: SessionId, options: ResumeOptions = {}) =>
      resume.call(halyard, id, { credentials, ...options }),
  });
}

/** Starts this program as the daemon if none runs. */
function ensureDaemon({ env }: Console): Promise<RunningDaemon> {
  const [node = "node", program = "halyard"] = process.argv;
  return startDaemon({ home: homeDirectory(env), command: [node, program, "daemon", "run"], env });
}

/** Returns undefined if the daemon was older and idle. It has been stopped, so the caller starts a new one. */
async function connect(daemon: RunningDaemon, console: Console): Promise<Halyard | undefined> {
  const halyard = await connectHalyard(daemon);
  const version = readVersion();
  if (!isNewer(version, daemon.version)) return halyard;
  const isBusy = (await halyard.sessions({ states: liveStates, limit: 1 })).length > 0;
  if (isBusy || daemon.kind === "foreground") {
    await warn(console, [
      `The daemon is Halyard ${daemon.version}, but this is ${version}. Run "halyard daemon stop"; the next command starts the new version.`,
    ]);
    return halyard;
  }
  await halyard[Symbol.asyncDispose]();
  await stopDaemon(daemon);
  return undefined;
}

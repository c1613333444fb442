import { connectHalyard } from "../client/index.ts";
import { type Environment, homeDirectory } from "../config/paths.ts";
import { credentialsIn } from "../core/environment.ts";
import type { Halyard, ResumeOptions } from "../core/halyard.ts";
import type { RunningDaemon } from "../daemon/find.ts";
import { startDaemon } from "../daemon/start.ts";
import { stopDaemon } from "../daemon/stop.ts";
import type { SessionId } from "../schema/id.ts";
import { liveStates } from "../schema/session-state.ts";
import type { StartRequest } from "../schema/start-request.ts";
import { type Terminal, warn } from "./terminal.ts";
import { isNewer, readVersion } from "./version.ts";

/** The Halyard of the daemon, which is started where none runs. */
export async function openDaemon(terminal: Terminal): Promise<Halyard> {
  const halyard = await connect(await ensureDaemon(terminal), terminal);
  return fromHere(halyard ?? (await connectHalyard(await ensureDaemon(terminal))), terminal.env);
}

/** The daemon keeps the environment that it was started with: it gets the keys of this one with every start. */
function fromHere(halyard: Halyard, env: Environment): Halyard {
  const credentials = credentialsIn(env);
  const { start, resume } = halyard;
  return Object.assign(halyard, {
    start: (request: StartRequest) => start.call(halyard, { credentials, ...request }),
    resume: (id: SessionId, options: ResumeOptions = {}) =>
      resume.call(halyard, id, { credentials, ...options }),
  });
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

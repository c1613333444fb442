import { connectHalyard } from "../client/index.ts";
import type { Environment } from "../config/paths.ts";
import type { Halyard } from "../contracts/halyard.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { RunningDaemon } from "../daemon/find.ts";
import { startDaemon } from "../daemon/start.ts";
import { stopDaemon } from "../daemon/stop.ts";
import { credentialsIn } from "../programs/environment.ts";
import type { SessionId } from "../schema/id.ts";
import { liveStates } from "../schema/session/session-state.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import type { RaceRequest } from "../schema/workspace/race.ts";
import { clusterIn, openCluster } from "./cluster/open-cluster.ts";
import { type Console, warn } from "./console/console.ts";
import { daemonHome } from "./daemon/daemon-home.ts";
import { type HostOptions, withHosts } from "./host/open-hosts.ts";
import { isNewer, readVersion } from "./version.ts";

/**
 * Connects to the cluster that the environment names, otherwise to the daemon of this machine, which is started if it
 * is not running. Includes the sessions of other machines if `hosts` requests them.
 */
export async function openDaemon(console: Console, hosts: HostOptions = {}): Promise<Halyard> {
  const cluster = clusterIn(console.env);
  if (cluster) return withoutKeys(await openCluster(cluster), console);
  const own = withCredentials(await openOwnDaemon(console), console.env);
  return withHosts(own, console, hosts);
}

/**
 * Connects to the daemon of this machine, and starts it if it is not running. Replaces an idle background daemon
 * of an older version. If the environment names a cluster, connects to the daemon that serves this cluster.
 */
export async function openOwnDaemon(console: Console): Promise<Halyard> {
  const halyard = await connect(await ensureDaemon(console), console);
  return halyard ?? connectHalyard(await ensureDaemon(console));
}

/** Sends the keys of this environment with every start and resume, because the daemon has its own environment. */
function withCredentials(halyard: Halyard, env: Environment): Halyard {
  const credentials = credentialsIn(env);
  return changeRequests(halyard, (request) => ({ credentials, ...request }));
}

/** Removes model keys from every start and resume. The workers of a cluster use the keys of their own environment. */
function withoutKeys(halyard: Halyard, console: Console): Halyard {
  return changeRequests(halyard, (request) => {
    if (typeof request.model !== "object" || request.model.apiKey === undefined) return request;
    void warn(console, [KEPT_KEY]).catch(() => {}); // the sink drops text if stderr is closed
    const { apiKey: _, ...model } = request.model;
    return { ...request, model };
  });
}

const KEPT_KEY = "The model key stays on this machine. Set the key in the worker's environment.";

/** Applies `change` to every request that starts or resumes a session, and to every racer of a race. */
function changeRequests(
  halyard: Halyard,
  change: <T extends Pick<StartRequest, "model" | "credentials">>(request: T) => T,
): Halyard {
  const { start, resume, races } = halyard;
  return Object.assign(halyard, {
    start: (request: StartRequest) => start.call(halyard, change(request)),
    resume: (id: SessionId, options: ResumeOptions = {}) =>
      resume.call(halyard, id, change(options)),
    races: {
      ...races,
      start: (request: RaceRequest) =>
        races.start({ ...request, racers: request.racers.map((racer) => change(racer)) }),
    },
  });
}

/** Returns the running daemon. Starts this program as the daemon if none is running. */
function ensureDaemon({ env }: Console): Promise<RunningDaemon> {
  const [node = "node", program = "halyard"] = process.argv;
  return startDaemon({ home: daemonHome(env), command: [node, program, "daemon", "run"], env });
}

/**
 * Connects to a running daemon. If the daemon is older, idle and in the background, stops it and returns undefined, so
 * that the caller starts a new one. Prints a warning about any other older daemon.
 */
async function connect(daemon: RunningDaemon, console: Console): Promise<Halyard | undefined> {
  const halyard = await connectHalyard(daemon);
  const version = readVersion();
  if (!isNewer(version, daemon.version)) return halyard;
  const isBusy = (await halyard.sessions({ states: liveStates, limit: 1 })).length > 0;
  if (isBusy || daemon.kind === "foreground") {
    const advice =
      daemon.kind === "foreground"
        ? 'Stop "halyard serve" and start it again.'
        : 'Run "halyard daemon stop". The next command starts the new version.';
    await warn(console, [
      `The daemon is Halyard ${daemon.version}, but this is Halyard ${version}. ${advice}`,
    ]);
    return halyard;
  }
  await halyard[Symbol.asyncDispose]();
  await stopDaemon(daemon);
  return undefined;
}

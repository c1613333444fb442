import { connectHalyard } from "../../client/index.ts";
import { findDaemon } from "../../daemon/find.ts";
import { daemonPaths } from "../../daemon/paths.ts";
import { errorTable } from "../../schema/error-table.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import { openConsole } from "../console/console.ts";
import { abbreviateHome, formatAge } from "../text/format.ts";
import { daemonHome } from "./daemon-home.ts";

export interface DaemonStatusOptions {
  readonly format: "text" | "json";
}

export async function daemonStatus({ format }: DaemonStatusOptions): Promise<number> {
  const { env, out } = openConsole();
  const home = daemonHome(env);
  const { log } = daemonPaths(home);
  const daemon = await findDaemon(home);
  if (daemon === undefined) {
    const none = { running: false, home, log };
    await out.write(
      format === "json"
        ? `${JSON.stringify(none)}\n`
        : `No daemon is running for ${abbreviateHome(home)}. Commands that need one start it.\n`,
    );
    return errorTable.session_not_found.exitCode;
  }
  const { identity, version, startedAt, kind, socketPath, url } = daemon;
  await using halyard = await connectHalyard(daemon);
  const sessions = (await halyard.sessions({ states: liveStates })).length;
  const status = { running: true, pid: identity.pid, version, startedAt, kind, sessions };
  const since = formatAge(Date.now() - Date.parse(startedAt));
  const lines = [
    `running for ${since} as pid ${identity.pid} in the ${kind}, Halyard ${version}`,
    `sessions  ${sessions} live`,
    `socket    ${abbreviateHome(socketPath)}`,
    ...(url === undefined ? [] : [`url       ${url}`]),
    `log       ${abbreviateHome(log)}`,
  ];
  await out.write(
    format === "json"
      ? `${JSON.stringify({ ...status, home, log, socketPath, url })}\n`
      : `${lines.join("\n")}\n`,
  );
  return 0;
}

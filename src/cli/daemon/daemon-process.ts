import { homeDirectory } from "../../config/paths.ts";
import { createConfigReader } from "../../config/reader.ts";
import { createHalyard } from "../../create-halyard.ts";
import { openLog } from "../../daemon/log.ts";
import { daemonPaths } from "../../daemon/paths.ts";
import { type DaemonOptions, runDaemon } from "../../daemon/run.ts";
import type { Console } from "../console/console.ts";
import { readVersion } from "../version.ts";

/** Runs the daemon in this process until a signal or a client stops it. Prints nothing. */
export async function runDaemonProcess(
  { env }: Console,
  options: Pick<DaemonOptions, "kind" | "idleMs" | "network" | "onReady">,
): Promise<void> {
  const home = homeDirectory(env);
  const now = () => new Date();
  const log = openLog(daemonPaths(home).log, { now, env });
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    log(`received ${signal}`);
    stopping.abort();
    setTimeout(() => process.exit(1), MAX_SHUTDOWN_MS).unref(); // the next daemon recovers the sessions, as after a crash
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, stop);
  const config = createConfigReader({ env, home, onWarning: log });
  const open = () =>
    createHalyard({
      home,
      env: { ...env },
      config,
      detached: true,
      upkeep: true,
      onDispose: "detach",
      onStoreProblem: log,
      onHookProblem: log,
    });
  const retention = async () => (await config.read({ cwd: home })).userSettings?.value?.retention;
  const own = { home, env, version: readVersion(), open, retention, log, now };
  await runDaemon({ ...own, signal: stopping.signal, ...options });
}

const MAX_SHUTDOWN_MS = 9_000;

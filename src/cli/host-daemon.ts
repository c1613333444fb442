import { homeDirectory } from "../config/paths.ts";
import { createConfigReader } from "../config/reader.ts";
import { createHalyard } from "../create-halyard.ts";
import { openLog } from "../daemon/log.ts";
import { daemonPaths } from "../daemon/paths.ts";
import { type DaemonOptions, runDaemon } from "../daemon/run.ts";
import type { Terminal } from "./terminal.ts";
import { readVersion } from "./version.ts";

/** Runs the daemon in this process until somebody ends it; says nothing on its own. */
export async function hostDaemon(
  { env }: Terminal,
  options: Pick<DaemonOptions, "kind" | "idleMs" | "network" | "onReady">,
): Promise<void> {
  const home = homeDirectory(env);
  const now = () => new Date();
  const log = openLog(daemonPaths(home).log, { now, env });
  const ending = new AbortController();
  const end = (signal: NodeJS.Signals): void => {
    log(`got ${signal}`);
    ending.abort();
    setTimeout(() => process.exit(1), LONGEST_ENDING_MS).unref(); // what it held is found again, as after a crash
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, end);
  const config = createConfigReader({ env, home, onWarning: log });
  const open = () =>
    createHalyard({
      home,
      env: { ...env },
      config,
      outlive: true,
      onDispose: "detach",
      onStoreProblem: log,
      onHookProblem: log,
    });
  const { signal } = ending;
  await runDaemon({ home, env, version: readVersion(), open, signal, log, now, ...options });
}

const LONGEST_ENDING_MS = 9_000;

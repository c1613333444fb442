import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { customAlphabet } from "nanoid";
import { connectNats } from "../../cluster/connect-nats.ts";
import { readClusterKey } from "../../cluster/saved/seal.ts";
import { startWorker } from "../../cluster/worker.ts";
import { homeDirectory } from "../../config/paths.ts";
import { createConfigReader } from "../../config/reader.ts";
import { createHalyard } from "../../create-halyard.ts";
import { lockHome } from "../../daemon/lock-home.ts";
import { reattach } from "../../daemon/reattach.ts";
import { reasonOf } from "../../errors/error.ts";
import { makeHome } from "../../files/make-home.ts";
import { openConsole, warn } from "../console/console.ts";
import { readVersion } from "../version.ts";

export interface WorkerFlags {
  readonly join: string;
  readonly clusterName: string;
  readonly machine?: string;
  readonly label: readonly string[];
  readonly capacity?: number;
  readonly replicas: number;
  readonly keyFile?: string;
  readonly credentials?: string;
  readonly ca?: string;
}

/**
 * Runs a worker until a signal arrives. A session whose runtime has its own process continues, and the next worker on
 * this machine attaches to it.
 */
export async function worker(flags: WorkerFlags): Promise<number> {
  const console = openConsole();
  const { env, out, err } = console;
  const userHome = await makeHome(homeDirectory(env));
  // The sessions of a cluster are not in the database of the home, so their files are in a separate directory.
  const home = await makeHome(join(userHome, "clusters", flags.clusterName));
  const version = readVersion();
  const lock = await lockHome(home, version);
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
      process.once(signal, () => resolve());
  });
  const log = (line: string) => void err.write(`${line}\n`).catch(() => {}); // the sink drops text if stderr is closed
  try {
    const machine = flags.machine ?? (await machineName(home));
    const { join: servers, credentials: credentialsFile, ca: caFile } = flags;
    const name = `halyard ${machine}`;
    const connection = await connectNats({ servers, credentialsFile, caFile, name });
    try {
      const onProblem = (problem: unknown) =>
        void warn(console, [reasonOf(problem)]).catch(() => {}); // the sink drops text if stderr is closed
      const started = await startWorker(connection, {
        cluster: flags.clusterName,
        machine,
        labels: flags.label,
        capacity: flags.capacity,
        replicas: flags.replicas,
        key: flags.keyFile === undefined ? undefined : await readClusterKey(flags.keyFile),
        version,
        onProblem,
        open: (store, membership) =>
          createHalyard({
            home,
            runtimesDir: join(userHome, "runtimes"),
            env: { ...env },
            config: createConfigReader({ env, home: userHome, onWarning: onProblem }),
            store,
            membership,
            detached: true,
            onDispose: "detach",
            onStoreProblem: onProblem,
            onHookProblem: onProblem,
          }),
      });
      try {
        await reattach(started.own, log, { machine });
        await out.write(`${machine} joined the cluster "${flags.clusterName}"\n`);
        await err.write(err.colors.dim("Press Ctrl-C to leave the cluster. Sessions continue.\n"));
        await stopped;
      } finally {
        await started[Symbol.asyncDispose]();
      }
    } finally {
      await connection.close();
    }
  } finally {
    await lock.release();
  }
  return 0;
}

/** Returns the name of this machine. Creates it on the first call and saves it in the home. */
async function machineName(home: string): Promise<string> {
  const file = join(home, "machine");
  try {
    return (await readFile(file, "utf8")).trim();
  } catch {
    const base =
      hostname()
        .replace(/[^A-Za-z0-9-]+/g, "-")
        .slice(0, 40) || "machine";
    const name = `${base}-${customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 4)()}`;
    await writeFile(file, `${name}\n`, { mode: 0o600 });
    return name;
  }
}

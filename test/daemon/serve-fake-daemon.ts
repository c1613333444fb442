import { onTestFinished } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { createHalyard } from "../../src/create-halyard.ts";
import { openLog } from "../../src/daemon/log.ts";
import { daemonPaths } from "../../src/daemon/paths.ts";
import { runDaemon } from "../../src/daemon/run.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";
import type { User } from "../cli/start-cli.ts";

/**
 * Runs a daemon with the runtimes `fake` and `mortal` in this process, and resolves when it responds. The start takes a
 * twentieth of the processor time of `startFakeDaemon`, which loads all files. The daemon and its sessions stop when the
 * test finishes.
 */
export async function serveFakeDaemon({ home, env }: User): Promise<void> {
  const fake = fakeAdapter({ env });
  const capabilities = fake.capabilities.filter((capability) => capability !== "attach");
  const adapters = [fake, { ...fake, name: "mortal", capabilities }];
  const now = () => new Date();
  const log = openLog(daemonPaths(home).log, { now, env });
  const ending = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const ended = runDaemon({
      home,
      env,
      version: packageJson.version,
      kind: "background",
      open: () => createHalyard({ home, env, adapters, detached: true, onStoreProblem: log }),
      idleMs: 0,
      signal: ending.signal,
      log,
      now,
      onReady: () => resolve(),
    });
    ended.catch(reject);
    onTestFinished(async () => {
      ending.abort();
      await ended;
    });
  });
}

/**
 * A daemon with two more runtimes: `fake`, and `mortal`, which lacks the capability `attach` and ends with the daemon.
 * When it responds, it prints the processor time that the start took, in milliseconds. Arguments: the version to report, and
 * the number of seconds without a session after which it exits.
 */
import { openConsole } from "../../dist/cli/console/console.js";
import { acpEndpoint } from "../../dist/cli/daemon/acp-endpoint.js";
import { mcpEndpoint } from "../../dist/cli/daemon/mcp-endpoint.js";
import { DaemonHosts } from "../../dist/cli/host/daemon-hosts.js";
import { openLog } from "../../dist/daemon/log.js";
import { daemonPaths } from "../../dist/daemon/paths.js";
import { runDaemon } from "../../dist/daemon/run.js";
import { createHalyard } from "../../dist/index.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";

const [version = "0.0.0", idleSeconds = "0"] = process.argv.slice(2);
const { env } = process;
const home = env.HALYARD_HOME ?? "";
const ending = new AbortController();
process.once("SIGTERM", () => ending.abort());

const fake = fakeAdapter({ env });
const capabilities = fake.capabilities.filter((capability) => capability !== "attach");
const adapters = [fake, { ...fake, name: "mortal", capabilities }];
const now = () => new Date();
const log = openLog(daemonPaths(home).log, { now, env });
const hosts = new DaemonHosts(openConsole());
await runDaemon({
  home,
  env,
  version,
  kind: "background",
  open: () =>
    createHalyard({
      home,
      env,
      adapters,
      detached: true,
      onDispose: "detach",
      onStoreProblem: log,
    }),
  endpoints: (halyard) => [
    acpEndpoint(halyard, { console: openConsole(), version, log }),
    mcpEndpoint(halyard, { console: openConsole(), version, log, hosts, mcp: { answers: true } }),
  ],
  join: (halyard) => hosts.join(halyard),
  idleMs: Number(idleSeconds) * 1000,
  signal: ending.signal,
  log,
  now,
  onReady() {
    const { user, system } = process.cpuUsage();
    process.stdout.write(`${(user + system) / 1000}\n`);
  },
});
process.exit(0);

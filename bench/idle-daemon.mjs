import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connectHalyard } from "../dist/client/index.js";
import { ifAlone } from "./parts/alone.mjs";
import { inTemporaryDirectory } from "./parts/resources.mjs";

const halyard = fileURLToPath(new URL("../dist/bin/halyard.js", import.meta.url));
const SESSIONS = Number(process.env.HALYARD_IDLE_SESSIONS ?? 1_000);
const AT_ONCE = 10;
const WATCHED_MS = 20_000;

/** An ACP agent as a shell script, because a thousand Node processes would need 50 GB. */
const agent = `while read -r line; do
  id=\${line#*\\"id\\":}; id=\${id%%[,\\}]*}
  case $line in
    *'"initialize"'*) echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":{\\"protocolVersion\\":1}}";;
    *'"session/new"'*) echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":{\\"sessionId\\":\\"s$$\\"}}";;
  esac
done`;

/** Measures the memory and the CPU time of a daemon with a thousand idle sessions, or HALYARD_IDLE_SESSIONS. */
export function measure() {
  return inTemporaryDirectory(async (home) => {
    const env = { PATH: process.env.PATH, HOME: home, HALYARD_HOME: home };
    const daemon = spawn(process.execPath, [halyard, "serve", "--port", "0"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exit = once(daemon, "exit");
    await Promise.race([once(daemon.stdout, "data"), exit]); // the daemon prints its address when it is ready
    const client = await connectHalyard(join(home, "daemon.sock"));
    try {
      const before = await rssMb(daemon.pid);
      for (let count = 0; count < SESSIONS; count += AT_ONCE)
        await Promise.all(
          Array.from({ length: AT_ONCE }, async () => {
            const options = { command: ["sh", "-c", agent] };
            const session = await client.start({ runtime: "acp", cwd: home, options });
            await session.ready();
          }),
        );
      await delay(5_000); // lets the daemon finish the work of the starts
      const begunMs = await cpuMs(daemon.pid);
      await delay(WATCHED_MS);
      const share = ((await cpuMs(daemon.pid)) - begunMs) / WATCHED_MS;
      const rss = await rssMb(daemon.pid);
      return [
        {
          figure: `daemon with ${SESSIONS.toLocaleString("en")} idle sessions, rss / CPU`,
          ours: `${rss.toFixed(0)} MB / ${(share * 100).toFixed(2)} %`,
          beside: `${before.toFixed(0)} MB, without any`,
          target: "<= 250 MB / 1 %",
          isMet: rss <= 250 && share <= 0.01,
          data: { before, rss, share },
        },
      ];
    } finally {
      await stopAll(env);
      await client[Symbol.asyncDispose]();
      daemon.kill("SIGTERM");
      await exit;
    }
  });
}

/** @param {NodeJS.ProcessEnv} env */
async function stopAll(env) {
  const stop = spawn(process.execPath, [halyard, "stop", "--all"], { env, stdio: "ignore" });
  await once(stop, "exit");
}

/** @param {number | undefined} pid */
async function rssMb(pid) {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1024;
}

/** @param {number | undefined} pid */
async function cpuMs(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10; // a tick is 10 ms
}

await ifAlone(import.meta.url, measure);

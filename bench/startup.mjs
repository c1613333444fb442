import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { inTemporaryDirectory } from "./parts/resources.mjs";
import { alternate, median, timeMs } from "./parts/statistics.mjs";

const halyard = fileURLToPath(new URL("../dist/bin/halyard.js", import.meta.url));

/** Measures the wall time of the CLI, compared with an empty Node program. */
export function measure() {
  return inTemporaryDirectory(async (home) => {
    const rounds = await withDaemon(home, () =>
      alternate(25, {
        node: () => wallMs(["-e", "0"], home),
        version: () => wallMs([halyard, "--version"], home),
        sessions: () => wallMs([halyard, "sessions", "--format", "json"], home),
        list: () => wallMs([halyard, "runtime", "list"], home),
      }),
    );
    const node = median(rounds.map((round) => round.node));
    const version = median(rounds.map((round) => round.version));
    const sessions = median(rounds.map((round) => round.sessions));
    const list = median(rounds.map((round) => round.list));
    return [
      {
        ...toRow("halyard --version", version, node),
        target: "< 60 ms added",
        isMet: version - node < 60,
      },
      {
        ...toRow("halyard sessions, with a daemon", sessions, node),
        target: "< 120 ms added",
        isMet: sessions - node < 120,
      },
      toRow("halyard runtime list", list, node),
    ];
  });
}

/**
 * Runs a function while a daemon responds.
 * @template T
 * @param {string} home
 * @param {() => Promise<T>} work
 */
async function withDaemon(home, work) {
  const env = environmentOf(home);
  const daemon = spawn(process.execPath, [halyard, "serve", "--port", "0"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(daemon, "exit");
  await Promise.race([once(daemon.stdout, "data"), exit]); // the daemon prints its address when it is ready
  try {
    return await work();
  } finally {
    daemon.kill("SIGTERM");
    await exit;
  }
}

/** @param {string} home */
function environmentOf(home) {
  return { PATH: process.env.PATH, HOME: home, HALYARD_HOME: home };
}

/**
 * @param {string[]} args
 * @param {string} home
 */
function wallMs(args, home) {
  return timeMs(async () => {
    const env = environmentOf(home);
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`"node ${args.join(" ")}" exited with ${code}.`);
  });
}

/**
 * @param {string} figure
 * @param {number} ours
 * @param {number} node
 */
function toRow(figure, ours, node) {
  const added = ours - node;
  return {
    figure,
    ours: `${ours.toFixed(0)} ms, ${added.toFixed(0)} added`,
    beside: `${node.toFixed(0)} ms, node -e 0`,
    data: { node, ours, added },
  };
}

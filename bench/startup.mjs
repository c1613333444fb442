import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { inTemporaryDirectory } from "./parts/resources.mjs";
import { alternate, median, timeMs } from "./parts/statistics.mjs";

const halyard = fileURLToPath(new URL("../dist/bin/halyard.js", import.meta.url));

/** Wall time of the command line, beside a Node that does nothing. */
export function measure() {
  return inTemporaryDirectory(async (home) => {
    const rounds = await alternate(25, {
      node: () => wallMs(["-e", "0"], home),
      version: () => wallMs([halyard, "--version"], home),
      list: () => wallMs([halyard, "runtime", "list"], home),
    });
    const node = median(rounds.map((round) => round.node));
    const version = median(rounds.map((round) => round.version));
    const list = median(rounds.map((round) => round.list));
    return [
      {
        ...toRow("halyard --version", version, node),
        target: "< 60 ms added",
        isMet: version - node < 60,
      },
      toRow("halyard runtime list", list, node),
    ];
  });
}

/**
 * @param {string[]} args
 * @param {string} home
 */
function wallMs(args, home) {
  return timeMs(async () => {
    const env = { PATH: process.env.PATH, HOME: home, HALYARD_HOME: home };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`);
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

import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { measure as weighInstall } from "../install-size.mjs";
import { alternate, median, quantile, timeMs } from "../parts/statistics.mjs";
import { fetchPeers, inPackages, megabytes, node } from "./packages.mjs";
import { toReport } from "./report.mjs";

const ROUNDS = Number(process.argv[2] ?? 5);
const round = fileURLToPath(new URL("./round.mjs", import.meta.url));
const halyard = fileURLToPath(new URL("../../dist/bin/halyard.js", import.meta.url));

/** The subjects and the packages that each needs. */
const subjects = [
  { name: "direct", title: "bare stdio" },
  { name: "halyard", title: "Halyard, library", isOurs: true },
  { name: "halyard-server", title: "Halyard, over SSE", isOurs: true, readers: true },
  { name: "sandbox-agent", title: "sandbox-agent", needs: "sandbox-agent", readers: true },
  { name: "acpx-library", title: "acpx, library", needs: "acpx" },
  { name: "acpx-cli", title: "acpx, CLI", needs: "acpx" },
  { name: "harness", title: "AI SDK harness", needs: "harness" },
  { name: "harness-bridge", title: "its bridge alone", needs: "harness" },
];

const missing = await fetchPeers();
if (missing.has("node"))
  throw new Error(`The peers cannot run without Node: ${missing.get("node")}`);
const present = subjects.filter(({ needs = "" }) => !missing.has(needs));
const rounds = await alternate(ROUNDS, toMeasurements(present, "1"));
const fanned = await alternate(
  ROUNDS,
  toMeasurements(
    present.filter(({ readers }) => readers),
    "10",
  ),
);
/** @type {Record<string, () => Promise<number>>} */
const cold = {
  direct: () => wallMs(["-e", "0"]),
  halyard: () => wallMs([halyard, "--version"]),
  "sandbox-agent": () =>
    wallMs([inPackages("sandbox-agent", ".bin", "sandbox-agent"), "--version"]),
  "acpx-cli": () => wallMs([inPackages("acpx", "acpx", "dist", "cli.js"), "--version"]),
};
for (const { name, needs = "" } of subjects) if (missing.has(needs)) delete cold[name];
const started = await alternate(ROUNDS * 2 - 1, cold);

const results = present.map(({ name, title, isOurs = false }) => {
  const all = rounds.map((one) => one[name]).filter((one) => one !== undefined);
  const ages = all.flatMap((one) => one.ages);
  const together = fanned.map((one) => one[name]).filter((one) => one !== undefined);
  return {
    ...{ name, title, isOurs, rounds: all.length },
    p50: quantile(ages, 0.5),
    p99: quantile(ages, 0.99),
    startMs: median(all.map((one) => one.startMs)),
    tailMs: median(all.map((one) => one.tailMs)),
    longTailMs: median(all.map((one) => one.longTailMs)),
    perSecond: median(all.map((one) => one.perSecond)),
    lost: median(all.map((one) => one.lost)),
    rssMb: median(all.flatMap((one) => one.rssMb ?? [])),
    fannedPerSecond: median(together.map((one) => one.perSecond)),
    fannedLost: median(together.map((one) => one.lost)),
    coldMs: median(started.flatMap((one) => one[name] ?? [])),
  };
});
const sizes = new Map([["halyard", await ownMegabytes()]]);
for (const [name, peer] of [
  ["sandbox-agent", "sandbox-agent"],
  ["acpx-cli", "acpx"],
  ["harness", "harness"],
])
  if (name && peer && !missing.has(peer)) sizes.set(name, await megabytes(inPackages(peer)));

const machine = { node: "24.21.0", cores: cpus().length, rounds: ROUNDS };
process.stdout.write(`${toReport(results, sizes, missing, machine)}\n`);
const directory = new URL("../results/", import.meta.url);
await mkdir(directory, { recursive: true });
const at = new Date().toISOString();
const data = { at, machine, results, sizes: Object.fromEntries(sizes), rounds, fanned };
await writeFile(
  new URL(`peers-${at.replaceAll(":", "-")}.json`, directory),
  `${JSON.stringify(data, (key, value) => (key === "ages" ? undefined : value), 2)}\n`,
);

/**
 * @param {readonly { name: string }[]} chosen
 * @param {string} readers
 */
function toMeasurements(chosen, readers) {
  return Object.fromEntries(chosen.map(({ name }) => [name, () => measure(name, readers)]));
}

/**
 * Measures one round of a subject in a child process. If the measurement fails, prints a message and returns undefined.
 * @param {string} name
 * @param {string} readers
 * @returns {Promise<any>}
 */
async function measure(name, readers) {
  process.stderr.write(`Measuring ${name}${readers === "1" ? "" : `, ${readers} readers`} …\n`);
  const child = fork(round, [name, readers], { execPath: node });
  let result;
  child.on("message", (message) => {
    result = message;
  });
  const [code] = await once(child, "exit");
  if (code !== 0) process.stderr.write(`  ${name} exited with ${code}\n`);
  return result;
}

/** @param {string[]} args */
function wallMs(args) {
  return timeMs(() => promisify(execFile)(node, args));
}

async function ownMegabytes() {
  const [row] = await weighInstall();
  return Number(row?.data.megabytes ?? Number.NaN);
}

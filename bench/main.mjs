import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { toTable } from "./parts/table.mjs";

/**
 * The benchmarks, in the order in which they run. Those that flood the disk come last, because the disk stays busy.
 * @type {Record<string, () => Promise<{ measure(): Promise<import("./parts/table.mjs").Row[]> }>>}
 */
const figures = {
  latency: () => import("./latency.mjs"),
  "sse-latency": () => import("./sse-latency.mjs"),
  "turn-tail": () => import("./turn-tail.mjs"),
  startup: () => import("./startup.mjs"),
  "run-overhead": () => import("./run-overhead.mjs"),
  checkpoint: () => import("./checkpoint.mjs"),
  worktrees: () => import("./worktrees.mjs"),
  memory: () => import("./memory.mjs"),
  web: () => import("./web.mjs"),
  "sse-idle-readers": () => import("./sse-idle-readers.mjs"),
  "sse-load": () => import("./sse-load.mjs"),
  "http-start": () => import("./http-start.mjs"),
  "idle-daemon": () => import("./idle-daemon.mjs"),
  telemetry: () => import("./telemetry.mjs"),
  throughput: () => import("./throughput.mjs"),
  "sse-throughput": () => import("./sse-throughput.mjs"),
  follow: () => import("./follow.mjs"),
  search: () => import("./search.mjs"),
  "large-store": () => import("./large-store.mjs"),
  prune: () => import("./prune.mjs"),
  cluster: () => import("./cluster.mjs"),
  "install-size": () => import("./install-size.mjs"),
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => figures[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(
    `Unknown benchmark: ${unknown.join(", ")}. Choose from: ${Object.keys(figures).join(", ")}.\n`,
  );
  process.exit(2);
}

const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
const rows = [];
for (const [name, load] of Object.entries(figures)) {
  if (named.length > 0 && !named.includes(name)) continue;
  process.stderr.write(`Measuring ${name} …\n`);
  const { measure } = await load();
  rows.push(...(await measure()));
}

process.stdout.write(`${toTable(rows)}\n\nNode ${machine.node}, ${machine.cores} cores\n`);
const results = new URL("./results/", import.meta.url);
await mkdir(results, { recursive: true });
const at = new Date().toISOString();
const file = new URL(`${at.replaceAll(":", "-")}.json`, results);
await writeFile(file, `${JSON.stringify({ at, machine, rows }, undefined, 2)}\n`);
if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1;

import { fileURLToPath } from "node:url";
import { toTable } from "./table.mjs";

/**
 * Prints the table of a benchmark that was started by itself: `node bench/search.mjs`. Has no effect if another module
 * imported the benchmark.
 * @param {string} url The `import.meta.url` of the benchmark.
 * @param {() => Promise<import("./table.mjs").Row[]>} measure
 */
export async function ifAlone(url, measure) {
  if (process.argv[1] !== fileURLToPath(url)) return;
  const startedAt = performance.now();
  const rows = await measure();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(`${toTable(rows)}\n\nNode ${process.version}, ${seconds} s\n`);
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1;
}

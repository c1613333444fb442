import { writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Prints what each real runtime was shown to do, and keeps it as the table of `docs/runtimes.md`. */
class GridReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const grid = new Map<string, Map<string, string>>();
    const runtimes = new Set<string>();
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const place = placeOf(test);
        if (place === undefined) continue;
        const { runtime, shown } = place;
        if (shown.startsWith(FIRST)) runtimes.add(runtime);
        const row = grid.get(shown) ?? new Map<string, string>();
        grid.set(shown, row.set(runtime, marks[test.result().state]));
      }
    }
    const table = toTable(grid, [...runtimes].sort());
    process.stdout.write(`\n${table}\n`);
    const isWhole = modules.every((module) => module.state() === "passed");
    if (isWhole && process.env.HALYARD_WRITE_GRID) {
      writeFileSync(new URL("../../docs/runtimes.md", import.meta.url), `${heading}${table}`);
    }
  }
}

/** What every runtime of `describeAdapter` is asked, and no other suite. */
const FIRST = "words |";

const marks = { passed: "✓", failed: "✗", skipped: "–", pending: "–" } as const;

const heading = `# What the runtimes were shown to do

Each of these was run on the real program against a scripted model. ✓ proven, – does not apply or is not claimed.
Made by \`HALYARD_WRITE_GRID=1 npm run test:real\`; do not edit.

`;

/** Runtime, and what of it is shown; `describeAdapter` has three levels. */
function placeOf(test: TestCase): { runtime: string; shown: string } | undefined {
  const names: string[] = [test.name];
  for (let suite = test.parent; suite.type === "suite"; suite = suite.parent) {
    names.unshift(suite.name);
  }
  const [runtime, group, title] = names;
  if (names.length !== 3 || runtime === undefined) return undefined;
  return { runtime, shown: `${group} | ${title}` };
}

function toTable(grid: Map<string, Map<string, string>>, runtimes: readonly string[]): string {
  const head = `| about | shown | ${runtimes.join(" | ")} |\n`;
  const rule = `| --- | --- | ${runtimes.map(() => ":-:").join(" | ")} |\n`;
  const shown = [...grid].filter(([, row]) => runtimes.some((runtime) => row.has(runtime)));
  const rows = shown.map(([place, row]) => {
    const cells = runtimes.map((runtime) => row.get(runtime) ?? "–");
    return `| ${place} | ${cells.join(" | ")} |\n`;
  });
  return head + rule + rows.join("");
}

// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export
export default GridReporter;

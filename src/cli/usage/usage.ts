import type { UsageReport, UsageTotal } from "../../schema/usage/usage-report.ts";
import { type Console, openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { abbreviateHome, formatCost, formatCount, formatDuration } from "../text/format.ts";
import { table } from "../text/table.ts";

export interface UsageOptions {
  readonly since?: string;
  readonly by: "day" | "runtime" | "project" | "model";
  readonly format: "text" | "json";
}

export async function usage({ since, by, format }: UsageOptions): Promise<number> {
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console);
  const report = await halyard.usage({ since });
  if (format === "json") await console.out.write(`${JSON.stringify(report)}\n`);
  else if (report.total.turns === 0) await console.err.write(none(since));
  else await writeTable(report, by, console);
  throwIfUnwritable(console);
  return 0;
}

function none(since: string | undefined): string {
  return since === undefined
    ? 'No turn has ended yet. Run "halyard run PROMPT" to start one.\n'
    : `No turn has ended since ${since}.\n`;
}

async function writeTable(
  report: UsageReport,
  by: UsageOptions["by"],
  { out }: Console,
): Promise<void> {
  const rows = groupsOf(report, by).map(([name, total]) => [name, ...cells(total)]);
  const headings = [
    by.toUpperCase(),
    "SESSIONS",
    "TURNS",
    "INPUT",
    "CACHED",
    "OUTPUT",
    "TIME",
    "COST",
  ];
  const all = [headings, ...rows, ["total", ...cells(report.total)]];
  const columns = out.isTTY ? out.columns : Number.POSITIVE_INFINITY;
  const lines = table(alignRight(all), { columns, flexible: { 0: "end" } });
  for (const [index, line] of lines.entries()) {
    const isEdge = index === 0 || index === lines.length - 1;
    await out.write(`${isEdge ? out.colors.bold(line) : line}\n`);
  }
}

function groupsOf(
  { days, runtimes, projects, models }: UsageReport,
  by: UsageOptions["by"],
): (readonly [name: string, total: UsageTotal])[] {
  switch (by) {
    case "day":
      return days.map((total) => [total.day, total]);
    case "runtime":
      return runtimes.map((total) => [total.runtime, total]);
    case "project":
      return projects.map((total) => [abbreviateHome(total.project), total]);
    case "model":
      return models.map((total) => [total.model, total]);
  }
}

function cells(total: UsageTotal): string[] {
  const { sessions, turns, inputTokens, outputTokens, durationMs } = total;
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = total;
  return [
    String(sessions),
    String(turns),
    formatCount(inputTokens),
    formatCount(cacheReadTokens + cacheWriteTokens),
    formatCount(outputTokens),
    formatDuration(durationMs),
    formatCost(total) || "-",
  ];
}

/** Aligns all columns except the first one to the right. */
function alignRight(rows: readonly (readonly string[])[]): string[][] {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell : cell.padStart(width(column)))),
  );
}

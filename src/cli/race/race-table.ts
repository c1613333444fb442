import type { CheckResult, Racer } from "../../schema/workspace/race.ts";
import { formatCost, formatDuration, formatTokens, plural } from "../text/format.ts";
import { table } from "../text/table.ts";

/** Formats the racers of a race as a table with a heading. */
export function raceTable(racers: readonly Racer[], columns: number): string[] {
  const flexible = { [HEADINGS.indexOf("BRANCH")]: "start" } as const;
  return table([HEADINGS, ...racers.map(row)], { columns, flexible });
}

const HEADINGS = ["RUNTIME", "RESULT", "DIFF", "TIME", "TOKENS", "COST", "SESSION", "BRANCH"];

function row(racer: Racer): string[] {
  const { runtime, changes, durationMs, usage, sessionId = "", branch = "" } = racer;
  return [
    runtime,
    resultOf(racer),
    changes ? sizeOf(changes) : "",
    durationMs === undefined ? "" : formatDuration(durationMs),
    usage ? formatTokens(usage) : "",
    usage ? formatCost(usage) : "",
    sessionId,
    branch,
  ];
}

function sizeOf({ files, insertions, deletions }: NonNullable<Racer["changes"]>): string {
  return `${plural(files, "file")} +${insertions} -${deletions}`;
}

/** Describes the state of a racer in a few words. */
export function resultOf({ state, outcome, error, check, changes }: Racer): string {
  if (state !== "done") return state;
  if (outcome === undefined) return error ? "did not start" : "cancelled";
  if (outcome !== "completed") return outcome;
  if (check) return verdictOf(check);
  return changes?.files === 0 ? "no changes" : "completed";
}

const verdictOf = ({ passed }: CheckResult): string => (passed ? "passed" : "check failed");

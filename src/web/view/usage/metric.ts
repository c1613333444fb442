import { totalTokens } from "../../../schema/usage/usage.ts";
import type { UsageTotal } from "../../../schema/usage/usage-report.ts";
import { formatCost, formatCount, formatDuration, plural } from "../../text/format.ts";

/** The usage of a day, a runtime, a project or a model. */
export interface UsageGroup {
  readonly name: string;
  readonly total: UsageTotal | undefined;
}

/** A number that the charts can show for each group. */
export interface Metric {
  readonly name: string;
  valueOf(group: UsageGroup): number;
  format(value: number): string;
}

/** The numbers that charts can show. */
export const metrics: readonly [Metric, ...Metric[]] = [
  {
    name: "Tokens",
    valueOf: ({ total }) => (total ? totalTokens(total) : 0),
    format: formatCount,
  },
  {
    name: "Cost",
    valueOf: ({ total }) => total?.costUsd ?? 0,
    format: (value) => formatCost(value) || "$0",
  },
  {
    name: "Time",
    valueOf: ({ total }) => total?.durationMs ?? 0,
    format: (value) => (value === 0 ? "0 s" : formatDuration(value)),
  },
];

/** Describes a group's usage in one line: `codex: 1.2k tokens, $0.04, 3 turns, 2 min`. */
export function describeUsage(group: UsageGroup): string {
  const { total } = group;
  const parts = [
    `${formatCount(total ? totalTokens(total) : 0)} tokens`,
    formatCost(total?.costUsd),
    total && plural(total.turns, "turn"),
    total && formatDuration(total.durationMs),
  ];
  return `${group.name}: ${parts.filter(Boolean).join(", ")}`;
}

import type { Outcome } from "../../schema/outcome.ts";
import type { Colors } from "../text/colors.ts";
import { formatCost, formatDuration, formatTokens } from "../text/format.ts";

/** Formats the outcome of a turn on one line: `✓ completed · 2.4 s · 1.2k tokens in, 340 out · $0.0120 · ses_…` */
export function summary(outcome: Outcome, sessionId: string, colors: Colors): string {
  const { status, usage, durationMs } = outcome;
  const facts = [
    formatDuration(durationMs),
    formatTokens(usage),
    formatCost(usage),
    sessionId,
  ].filter(Boolean);
  return `${verdict(status, outcome.stopReason, colors)} ${colors.dim(`· ${facts.join(" · ")}`)}`;
}

function verdict(status: Outcome["status"], stopReason: string, colors: Colors): string {
  switch (status) {
    case "completed":
      return stopReason === "end_turn"
        ? colors.green("✓ completed")
        : colors.yellow(`✓ completed (${stopReason})`);
    case "cancelled":
      return colors.yellow("■ cancelled");
    case "failed":
      return colors.red("✗ failed");
  }
}

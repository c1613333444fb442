import type { Outcome } from "../../schema/outcome.ts";
import type { Colors } from "./colors.ts";
import { cost, duration, tokens } from "./words.ts";

/** A turn's end in one line: `✓ completed · 2.4 s · 1.2k tokens in, 340 out · $0.0120 · ses_…` */
export function summary(outcome: Outcome, sessionId: string, colors: Colors): string {
  const { status, usage, durationMs } = outcome;
  const facts = [duration(durationMs), tokens(usage), cost(usage), sessionId].filter(Boolean);
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

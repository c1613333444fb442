import { errorTable } from "../../schema/error.ts";
import type { Outcome } from "../../schema/outcome.ts";

/** How the shell hears of a turn's end. */
export function exitCodeOf({ status, error }: Pick<Outcome, "status" | "error">): number {
  switch (status) {
    case "completed":
      return 0;
    case "cancelled":
      return errorTable.cancelled.exitCode;
    case "failed":
      return errorTable[error?.code ?? "agent_failed"].exitCode;
  }
}

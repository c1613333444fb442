import type { Halyard } from "../../contracts/halyard.ts";
import { editedPaths } from "../../permissions/edited-paths.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { Outcome } from "../../schema/outcome.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { type PlanStep, planSteps } from "../plan-steps.ts";

/** A message from the log. */
export interface SpokenMessage {
  readonly role: "assistant" | "user";
  readonly text: string;
}

/** The parts of a log that a brief contains. */
export interface LogSummary {
  /** All of the user's messages, oldest first. */
  readonly requests: readonly string[];
  /** The last messages of the user and the assistant, oldest first. */
  readonly latest: readonly SpokenMessage[];
  /** The last plan: its steps, or its text. */
  readonly plan: readonly PlanStep[] | string | undefined;
  /** The paths in the inputs of edit tools, in the order of their last use. */
  readonly edited: readonly string[];
  /** How the last turn ended. */
  readonly outcome: Outcome | undefined;
}

/** Reads the log of a session once and returns the parts that a brief contains. */
export async function summarizeLog(
  halyard: Pick<Halyard, "batches">,
  { id }: Pick<SessionInfo, "id">,
): Promise<LogSummary> {
  const requests: string[] = [];
  const latest: SpokenMessage[] = [];
  const edited = new Set<string>();
  let plan: LogSummary["plan"];
  let outcome: Outcome | undefined;
  for await (const batch of halyard.batches(id, { follow: false })) {
    for (const event of batch) {
      if (event.type === "message" && event.channel === "text" && event.text.trim() !== "") {
        if (event.role === "user") requests.push(event.text);
        latest.push(event);
        if (latest.length > LATEST) latest.shift();
      }
      if (event.type === "system" && event.subtype === "plan")
        plan = planSteps(event) ?? event.text;
      if (event.type === "completion") outcome = event.outcome;
      for (const path of pathsIn(event)) {
        edited.delete(path);
        edited.add(path);
      }
    }
  }
  return { requests, latest, plan, edited: [...edited], outcome };
}

const LATEST = 6;

function pathsIn(event: StreamEvent): readonly string[] {
  if (event.type !== "tool_call" || event.kind !== "edit") return [];
  return editedPaths(event.input) ?? [];
}

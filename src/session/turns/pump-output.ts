import { HalyardError } from "../../errors/error.ts";
import type { SessionParts } from "../session-parts.ts";
import type { Turns } from "./turns.ts";

/** Writes the runtime's output to the log until the output ends. Resolves with the reason for the end. */
export async function pumpOutput(
  { connection, log }: SessionParts,
  turns: Turns,
): Promise<unknown> {
  try {
    for await (const batch of connection.output) await turns.take(batch);
    const { id, runtime, resumable } = log.info;
    const advice = resumable ? `Run "halyard resume ${id}" to continue.` : "Start a new session.";
    return new HalyardError("agent_exited", `${runtime} has exited. ${advice}`);
  } catch (error) {
    return error;
  }
}

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
    return new HalyardError("agent_exited", `${log.info.runtime} has exited.`);
  } catch (error) {
    return error;
  }
}

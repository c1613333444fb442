import { z } from "zod";
import { NativeError, Part } from "../messages.ts";

/** An output line of `opencode run --format json`: a complete part, or an error. */
const RunLine = z.union([
  z.looseObject({
    type: z.enum(["step_start", "text", "reasoning", "tool_use", "step_finish"]),
    sessionID: z.string(),
    part: Part,
  }),
  z.looseObject({
    type: z.literal("error"),
    sessionID: z.string(),
    error: NativeError.catch({ name: "an unknown error" }),
  }),
]);

/** Converts an output line of `opencode run` to events. Returns undefined for any other message. */
export function eventsOfRunOutput(native: unknown): unknown[] | undefined {
  const parsed = RunLine.safeParse(native);
  if (!parsed.success) return undefined;
  const line = parsed.data;
  const { sessionID } = line;
  const idle = { type: "session.idle", properties: { sessionID } };
  if (line.type === "error")
    return [{ type: "session.error", properties: { sessionID, error: line.error } }, idle];
  const { part } = line;
  const info = { id: part.messageID, sessionID, role: "assistant" };
  const updated = { type: "message.part.updated", properties: { sessionID, part } };
  if (line.type !== "step_finish") return [message(info), updated];
  const finished = message({ ...info, finish: part.reason, time: { completed: 0 } });
  return part.reason === "tool-calls" ? [updated, finished] : [updated, finished, idle];
}

function message(info: Readonly<Record<string, unknown>>) {
  return { type: "message.updated", properties: { sessionID: info.sessionID, info } };
}

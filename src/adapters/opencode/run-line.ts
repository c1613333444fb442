import { z } from "zod";
import { NativeError, Part } from "./messages.ts";

/** What `opencode run --format json` writes: whole parts, without the events around them. */
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

/** The events that a line of `opencode run` stands for; undefined for what is no such line. */
export function eventsOfRunLine(native: unknown): unknown[] | undefined {
  const parsed = RunLine.safeParse(native);
  if (!parsed.success) return undefined;
  const line = parsed.data;
  const { sessionID } = line;
  const idle = { type: "session.idle", properties: { sessionID } };
  if (line.type === "error")
    return [{ type: "session.error", properties: { sessionID, error: line.error } }, idle];
  const { part } = line;
  const info = { id: part.messageID, sessionID, role: "assistant" };
  const told = { type: "message.part.updated", properties: { sessionID, part } };
  if (line.type !== "step_finish") return [message(info), told];
  const finished = message({ ...info, finish: part.reason, time: { completed: 0 } });
  return part.reason === "tool-calls" ? [told, finished] : [told, finished, idle];
}

function message(info: Readonly<Record<string, unknown>>) {
  return { type: "message.updated", properties: { sessionID: info.sessionID, info } };
}

import type { StreamEvent as HalyardEvent } from "../../schema/event.ts";
import type { Usage } from "../../schema/outcome.ts";

/** The fields that every event has. */
export interface StreamEventEnvelope {
  readonly seq: number;
  readonly sessionID: string;
  readonly turnID?: string;
  readonly timestamp: string;
  /** The native message, if the session stores native messages. */
  readonly raw?: unknown;
}

/** An event's type-specific fields. */
export type StreamEventBody =
  /** A step, a status change, a request or a response. */
  | { type: "system"; subtype: string; text?: string; value?: unknown }
  /** An increment of a message. */
  | { type: "delta"; channel: "text" | "reasoning"; messageId: string; text: string }
  /** A complete message. */
  | {
      type: "message";
      role: "assistant" | "user";
      channel: "text" | "reasoning";
      messageId: string;
      text: string;
    }
  | { type: "tool_call"; toolId: string; toolName: string; parameters: unknown }
  | { type: "tool_result"; toolId: string; toolName: string; value: string; isError: boolean }
  /** The end of a turn. */
  | {
      type: "completion";
      status: "completed" | "cancelled" | "failed";
      finalText: string;
      usage: Usage;
      durationMs: number;
    }
  | { type: "error"; code: string; text: string };

/** An event of a session. Its `type` is one of seven. */
export type StreamEvent = StreamEventEnvelope & Readonly<StreamEventBody>;

/** Returns a function that converts each Halyard event to one stream event. Adds the tool name to tool results. */
export function createEventView(): (event: HalyardEvent) => StreamEvent {
  const tools = new Map<string, string>();
  return (event) => {
    const { seq, sessionId: sessionID, turnId: turnID, at: timestamp, raw } = event;
    const envelope = { seq, sessionID, timestamp, ...(turnID && { turnID }) };
    return { ...envelope, ...bodyOf(event, tools), ...(raw !== undefined && { raw }) };
  };
}

function bodyOf(event: HalyardEvent, tools: Map<string, string>): StreamEventBody {
  switch (event.type) {
    case "system": {
      const { type, subtype, text, data: value } = event;
      return { type, subtype, ...(text !== undefined && { text }), ...(value && { value }) };
    }
    case "delta": {
      const { type, channel, messageId, text } = event;
      return { type, channel, messageId, text };
    }
    case "message": {
      const { type, role, channel, messageId, text } = event;
      return { type, role, channel, messageId, text };
    }
    case "tool_call": {
      const { type, callId: toolId, name: toolName, input: parameters } = event;
      tools.set(toolId, toolName);
      return { type, toolId, toolName, parameters };
    }
    case "tool_result": {
      const { type, callId: toolId, output: value, isError } = event;
      return { type, toolId, toolName: tools.get(toolId) ?? "", value, isError };
    }
    case "request": {
      const { type: subtype, requestId, kind, text, tool, verdict } = event;
      return { type: "system", subtype, text, value: { requestId, kind, tool, verdict } };
    }
    case "response": {
      const { type: subtype, requestId, decision, by, text } = event;
      return {
        type: "system",
        subtype,
        ...(text !== undefined && { text }),
        value: { requestId, decision, by },
      };
    }
    case "completion": {
      const { status, text: finalText, usage, durationMs } = event.outcome;
      return { type: event.type, status, finalText, usage, durationMs };
    }
    case "error": {
      const { type, code, message: text } = event;
      return { type, code, text };
    }
  }
}

import type { StreamEvent } from "../../schema/event.ts";

/** An event in a run. Consumers read either `type` and `name`, or `stream` and `data.phase`. */
export interface AgentEvent {
  readonly runId: string;
  readonly seq: number;
  /** The event's time in ISO 8601 format. */
  readonly ts: string;
  readonly stream:
    | "lifecycle"
    | "user"
    | "assistant"
    | "reasoning"
    | "tool"
    | "approval"
    | "error"
    | "system";
  /** `run_start`, `text_delta`, `text`, `reasoning_delta`, `reasoning`, `tool_start`, `tool_result`, `run_end`, … */
  readonly type: string;
  /** The tool's name, if the event is about a tool. */
  readonly name?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns a function that converts each Halyard event to one agent event. Adds the tool name to tool results. */
export function createAgentEvents(runId: string): (event: StreamEvent) => AgentEvent {
  const tools = new Map<string, string>();
  return (event) => {
    if (event.type === "tool_call") tools.set(event.callId, event.name);
    const name = toolOf(event, tools);
    const { seq, at: ts } = event;
    return { runId, seq, ts, ...received(event), ...(name !== undefined && { name }) };
  };
}

function toolOf(event: StreamEvent, tools: Map<string, string>): string | undefined {
  if (event.type === "tool_call") return event.name;
  if (event.type === "tool_result") return tools.get(event.callId);
  return event.type === "request" ? event.tool?.name : undefined;
}

function received(event: StreamEvent): Pick<AgentEvent, "stream" | "type" | "data"> {
  switch (event.type) {
    case "system": {
      const { subtype, text, data } = event;
      if (subtype === "turn_started")
        return { stream: "lifecycle", type: "run_start", data: { phase: "start" } };
      return { stream: "system", type: subtype, data: { ...data, ...(text && { text }) } };
    }
    case "delta": {
      const { channel, messageId, text: delta } = event;
      const data = { phase: "update", messageId, delta };
      return { stream: streams[channel], type: `${channel}_delta`, data };
    }
    case "message": {
      const { channel, role, messageId, text } = event;
      const data = { phase: "end", role, messageId, text };
      if (role === "user") return { stream: "user", type: "user_text", data };
      return { stream: streams[channel], type: channel, data };
    }
    case "tool_call": {
      const { callId: toolCallId, input: args } = event;
      return { stream: "tool", type: "tool_start", data: { phase: "start", toolCallId, args } };
    }
    case "tool_result": {
      const { callId: toolCallId, output: result, isError } = event;
      const data = { phase: "result", toolCallId, result, isError };
      return { stream: "tool", type: event.type, data };
    }
    case "request": {
      const { type, requestId, kind, text, verdict } = event;
      return { stream: "approval", type, data: { phase: "start", requestId, kind, text, verdict } };
    }
    case "response": {
      const { type, requestId, decision, by } = event;
      return { stream: "approval", type, data: { phase: "end", requestId, decision, by } };
    }
    case "completion": {
      const { status } = event.outcome;
      const phase = status === "failed" ? "error" : "end";
      return { stream: "lifecycle", type: "run_end", data: { phase, status } };
    }
    case "error": {
      const { type, code, message } = event;
      return { stream: "error", type, data: { phase: "error", code, message } };
    }
  }
}

const streams = { text: "assistant", reasoning: "reasoning" } as const;

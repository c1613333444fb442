import type { Turn } from "../../contracts/turn.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { createAgentEvents } from "./agent-event.ts";
import type { ReplyPayload, StreamingCallbacks } from "./agent-runtime.ts";

/** Calls the callbacks for a turn's events, in order. Returns the assistant's messages that contain text for the user. */
export async function runCallbacks(
  turn: Turn,
  callbacks: StreamingCallbacks,
  { runId, show, onEvent }: CallbackOptions,
): Promise<ReplyPayload[]> {
  const asAgentEvent = createAgentEvents(runId);
  const growing = new Map<string, string>();
  const payloads: ReplyPayload[] = [];
  const grow = ({ messageId, channel, text }: Extract<StreamEvent, { type: "delta" }>): string => {
    const key = `${channel} ${messageId}`;
    const grown = (growing.get(key) ?? "") + text;
    growing.set(key, grown);
    return grown;
  };
  for await (const event of turn) {
    onEvent(event);
    const agentEvent = asAgentEvent(event);
    await callbacks.onAgentEvent?.(agentEvent);
    if (event.type === "delta") {
      const text = grow(event);
      if (event.channel === "reasoning") await callbacks.onReasoningStream?.({ text });
      else if (show(text) !== "") await callbacks.onPartialReply?.({ text: show(text) });
    } else if (event.type === "message" && event.channel === "text" && event.role === "assistant") {
      const text = show(event.text);
      if (text === "") continue;
      payloads.push({ text });
      await callbacks.onBlockReply?.({ text });
    } else if (event.type === "tool_result") {
      const { callId: toolCallId, output: text, isError } = event;
      const toolName = agentEvent.name ?? "";
      await callbacks.onToolResult?.({ text, toolName, toolCallId, isError });
    }
  }
  return payloads;
}

interface CallbackOptions {
  readonly runId: string;
  /** Returns the part of a text that is meant for the user. */
  readonly show: (text: string) => string;
  /** Called first with every event. Not awaited. */
  readonly onEvent: (event: StreamEvent) => void;
}

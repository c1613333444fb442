import type { Turn } from "../../core/halyard.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { createAgentEvents } from "./agent-event.ts";
import type { ReplyPayload, StreamingCallbacks } from "./agent-runtime.ts";

/** Tells a turn to its callbacks, one after the other, and answers what the assistant said. */
export async function tell(
  turn: Turn,
  callbacks: StreamingCallbacks,
  { runId, show, hear }: TellOptions,
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
    hear(event);
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

interface TellOptions {
  readonly runId: string;
  /** What of a text is for the user. */
  readonly show: (text: string) => string;
  /** Is told everything first, and waited for by nobody. */
  readonly hear: (event: StreamEvent) => void;
}

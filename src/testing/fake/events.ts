import {
  type CompletionDraft,
  type EventDraft,
  type Mapper,
  type RequestDraft,
  raw,
} from "../../contracts/event-draft.ts";
import { errorInfo } from "../../errors/error.ts";
import type { ToolKind } from "../../schema/permission.ts";
import { AgentMessage } from "./messages.ts";

/** Creates the fake agent's mapper. Its only state is whether a turn is open. */
export function createMapper(): Mapper {
  let inTurn = false;
  return {
    map(native) {
      const parsed = AgentMessage.safeParse(native);
      if (!parsed.success) return [raw(native)];
      const message = parsed.data;
      const drafts = toEvents(message);
      if (!inTurn && drafts.some(({ type }) => type !== "system")) return [raw(native)];
      if (message.type === "accepted") inTurn = true;
      if (message.type === "done") inTurn = false;
      return drafts;
    },
    flush: () => [],
  };
}

function toEvents(message: AgentMessage): EventDraft[] {
  switch (message.type) {
    case "ready":
    case "no_session":
    case "accepted":
    case "refused":
    case "commands":
      return []; // the connection handles these replies
    case "saved": {
      const data = { runtimeSessionId: message.sessionId, resumable: true };
      return [{ type: "system", subtype: "status", data }];
    }
    case "text":
    case "thinking": {
      const { messageId, text } = message;
      return [{ type: "delta", channel: channels[message.type], messageId, text }];
    }
    case "message": {
      const { messageId, text } = message;
      const channel = channels[message.channel];
      return [{ type: "message", role: "assistant", channel, messageId, text }];
    }
    case "tool":
      return [{ type: "tool_call", callId: message.id, ...toTool(message) }];
    case "tool_end": {
      const { id: callId, output, isError, exitCode } = message;
      return [
        {
          type: "tool_result",
          callId,
          output,
          isError,
          ...(exitCode !== undefined && { exitCode }),
        },
      ];
    }
    case "ask":
      return [toRequest(message)];
    case "compacted":
      return [{ type: "system", subtype: "compaction", data: { state: "completed" } }];
    case "retry":
      return [{ type: "system", subtype: "retry", text: message.reason }];
    case "usage": {
      const { input: inputTokens, output: outputTokens } = message.usage;
      return [{ type: "system", subtype: "usage", data: { usage: { inputTokens, outputTokens } } }];
    }
    case "done":
      return [toCompletion(message)];
  }
}

const channels = { text: "text", thinking: "reasoning" } as const;

function toTool({ name, input }: { name: string; input: unknown }) {
  return { name, kind: toolKinds.get(name) ?? "other", input };
}

const toolKinds = new Map<string, ToolKind>([
  ["read", "read"],
  ["write", "edit"],
  ["shell", "execute"],
]);

function toRequest(ask: Extract<AgentMessage, { type: "ask" }>): RequestDraft {
  const { id: nativeId, kind, text, options, tool } = ask;
  const about = tool && { callId: tool.id, tool: toTool(tool) };
  return { type: "request", nativeId, kind, text, options, ...about };
}

function toCompletion(done: Extract<AgentMessage, { type: "done" }>): CompletionDraft {
  const { status, usage, error } = done;
  return {
    type: "completion",
    status,
    usage: { inputTokens: usage.input, outputTokens: usage.output },
    ...(error !== undefined && { error: errorInfo("agent_failed", error) }),
  };
}

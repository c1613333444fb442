import type { DeltaEvent, MessageEvent, StreamEvent } from "../../schema/event.ts";
import type { TurnId } from "../../schema/id.ts";
import type { AgentUpdate, ReportedTool } from "./agent-update.ts";
import { planOf } from "./plan.ts";
import { toReportedResult, toReportedTool } from "./tools.ts";
import { usageOf } from "./usage.ts";

/** Maps a session's events to updates for a client. A message that was sent in chunks is not sent again as a whole. */
export class UpdateMapper {
  readonly #cwd: string;
  /** Incomplete messages that are being sent in chunks. */
  readonly #inChunks = new Map<string, TurnEntry>();
  /** Running tools with the changes from their input, for runtimes that do not report a diff. */
  readonly #tools = new Map<string, TurnEntry & { readonly tool: ReportedTool }>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  map(event: StreamEvent): AgentUpdate[] {
    switch (event.type) {
      case "delta":
        this.#inChunks.set(keyOf(event), { turnId: event.turnId });
        return [textUpdate(event)];
      case "message":
        // The event `turn_started` or `turn_steered` already contained the user's text.
        if (event.role === "user" || this.#inChunks.delete(keyOf(event))) return [];
        return [textUpdate(event)];
      case "tool_call": {
        const tool = {
          type: "tool",
          callId: event.callId,
          ...toReportedTool(event, this.#cwd),
        } as const;
        this.#tools.set(event.callId, { turnId: event.turnId, tool });
        return [tool];
      }
      case "tool_result": {
        const tool = this.#tools.get(event.callId)?.tool;
        this.#tools.delete(event.callId);
        return [{ type: "result", ...toReportedResult(event, tool, this.#cwd) }];
      }
      case "system":
        return this.#system(event);
      case "completion":
        forget(this.#inChunks, event.turnId);
        forget(this.#tools, event.turnId);
        return [];
      case "error":
      case "request":
      case "response":
        return []; // errors are in the outcome, and requests and responses are handled separately
    }
  }

  #system(event: Extract<StreamEvent, { type: "system" }>): AgentUpdate[] {
    const { subtype, text = "", turnId, seq } = event;
    switch (subtype) {
      case "turn_started":
      case "turn_steered": {
        const messageId = subtype === "turn_started" && turnId ? turnId : `${turnId}/${seq}`;
        return [{ type: "text", by: "user", messageId, text }];
      }
      case "plan":
        return planOf(event);
      case "usage":
        return usageOf(event);
      case "warning":
        return text === "" ? [] : [{ type: "notice", isFromHalyard: false, text }];
      case "session_changed":
        return [{ type: "changed" }];
      default:
        return [];
    }
  }
}

interface TurnEntry {
  readonly turnId: TurnId | undefined;
}

/** Removes the entries of one turn. A queued turn can end while another turn is running. */
function forget(entries: Map<string, TurnEntry>, turnId: TurnId | undefined): void {
  for (const [key, entry] of entries) if (entry.turnId === turnId) entries.delete(key);
}

/** Returns a key that identifies a message and its channel. */
export function keyOf({ channel, messageId }: DeltaEvent | MessageEvent): string {
  return `${channel} ${messageId}`;
}

function textUpdate({ channel, messageId, text }: DeltaEvent | MessageEvent): AgentUpdate {
  const by = channel === "reasoning" ? "thought" : "agent";
  return { type: "text", by, messageId, text };
}

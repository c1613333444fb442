import type { DeltaEvent, MessageEvent, StreamEvent } from "../schema/event.ts";
import type { TurnId } from "../schema/id.ts";
import { planOf } from "./plan.ts";
import type { Telling, ToldTool } from "./telling.ts";
import { toldResult, toldTool } from "./tools.ts";
import { usageOf } from "./usage.ts";

/** Tells a session's events one after the other: what was told in pieces is not told again as a whole. */
export class Narrator {
  readonly #cwd: string;
  /** Messages that were told in pieces, until they are whole. */
  readonly #inPieces = new Map<string, OfTurn>();
  /** What tools that run mean to change, for those that never say what they did. */
  readonly #tools = new Map<string, OfTurn & { readonly tool: ToldTool }>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  tell(event: StreamEvent): Telling[] {
    switch (event.type) {
      case "delta":
        this.#inPieces.set(keyOf(event), { turnId: event.turnId });
        return [words(event)];
      case "message":
        if (event.role === "user" || this.#inPieces.delete(keyOf(event))) return []; // `turn_started` has the user's text
        return [words(event)];
      case "tool_call": {
        const tool = { type: "tool", callId: event.callId, ...toldTool(event, this.#cwd) } as const;
        this.#tools.set(event.callId, { turnId: event.turnId, tool });
        return [tool];
      }
      case "tool_result": {
        const tool = this.#tools.get(event.callId)?.tool;
        this.#tools.delete(event.callId);
        return [{ type: "result", ...toldResult(event, tool, this.#cwd) }];
      }
      case "system":
        return this.#system(event);
      case "completion":
        forget(this.#inPieces, event.turnId);
        forget(this.#tools, event.turnId);
        return [];
      case "error":
      case "request":
      case "response":
        return []; // the outcome tells of the first, and the others are asked, not told
    }
  }

  #system(event: Extract<StreamEvent, { type: "system" }>): Telling[] {
    const { subtype, text = "", turnId, seq } = event;
    switch (subtype) {
      case "turn_started":
      case "turn_steered": {
        const messageId = subtype === "turn_started" && turnId ? turnId : `${turnId}/${seq}`;
        return [{ type: "words", by: "user", messageId, text }];
      }
      case "plan":
        return planOf(event);
      case "usage":
        return usageOf(event);
      case "warning":
        return text === "" ? [] : [{ type: "notice", isOurs: false, text }];
      case "session_changed":
        return [{ type: "changed" }];
      default:
        return [];
    }
  }
}

interface OfTurn {
  readonly turnId: TurnId | undefined;
}

/** Of that turn alone: one that waited may end while another is under way. */
function forget(told: Map<string, OfTurn>, turnId: TurnId | undefined): void {
  for (const [key, of] of told) if (of.turnId === turnId) told.delete(key);
}

/** A message on one of its channels. */
export function keyOf({ channel, messageId }: DeltaEvent | MessageEvent): string {
  return `${channel} ${messageId}`;
}

function words({ channel, messageId, text }: DeltaEvent | MessageEvent): Telling {
  const by = channel === "reasoning" ? "thought" : "agent";
  return { type: "words", by, messageId, text };
}

import { type EventDraft, type Mapper, raw, warning } from "../../core/draft.ts";
import { errorInfo } from "../../core/error.ts";
import { addUsage, noUsage } from "../../core/usage.ts";
import type { Usage } from "../../schema/outcome.ts";
import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import { AssistantMessages } from "./assistant-messages.ts";
import { Calls } from "./calls.ts";
import { completionOf } from "./completion.ts";
import { toMessageId } from "./message-id.ts";
import {
  type Block,
  DroidMessage,
  type Notification,
  type Response,
  type ServerRequest,
  type ToolUse,
} from "./messages.ts";
import { NativeTurn } from "./native-turn.ts";
import { OneShotMapper } from "./one-shot.ts";
import { planOf } from "./plan.ts";
import { requestDraft } from "./requests.ts";
import { TurnUsages } from "./usage.ts";

type Told<T extends Notification["type"]> = Extract<Notification, { type: T }>;

export interface MapperOptions {
  /** Whoever reads it knows the session already. */
  readonly live?: boolean;
  /** For whoever writes messages: Droid tells too late that it has one. */
  readonly turn?: NativeTurn;
}

/** Droid's messages in our words: of a session over stream-jsonrpc, or of one `droid exec`. */
export function createMapper(options: MapperOptions = {}): Mapper {
  return new DroidMapper(options);
}

class DroidMapper implements Mapper {
  readonly #isLive: boolean;
  readonly #oneShot = new OneShotMapper();
  readonly #turn: NativeTurn;
  readonly #words = new AssistantMessages();
  readonly #calls = new Calls();
  readonly #usages = new TurnUsages();
  #usage = noUsage;
  /** What has gone wrong in this turn and was not made good since. */
  #error: string | undefined;
  #notice: string | undefined;
  /** A plan that was handed in and followed by nothing. */
  #plan: string | undefined;
  /** Why Droid ended its last stretch. */
  #reason = "completed";
  /** The MCP servers that were told to have failed: Droid says it of all whenever one of them changes. */
  readonly #failedServers = new Set<string>();

  constructor({ live = false, turn = new NativeTurn() }: MapperOptions) {
    this.#isLive = live;
    this.#turn = turn;
  }

  map(native: unknown): EventDraft[] {
    const { data: message } = DroidMessage.safeParse(native);
    if (message === undefined) return this.#oneShot.map(native) ?? [raw(native)];
    switch (message.type) {
      case "response":
        return this.#response(message);
      case "request":
        return this.#turn.admits() ? this.#request(message) : [raw(native)];
      case "notification":
        return this.#notification(message.params.notification) ?? [raw(native)];
    }
  }

  flush(): EventDraft[] {
    return this.#oneShot.flush();
  }

  #response({ id, result, error }: Response): EventDraft[] {
    const messageId = toMessageId(String(id));
    if (error != null) return [warning(JsonRpcError.from(error).message), ...this.#lose(messageId)];
    if (messageId !== undefined) this.#turn.wrote(messageId);
    const runtimeSessionId = result?.sessionId;
    if (runtimeSessionId === undefined || this.#isLive) return [];
    return [{ type: "system", subtype: "session_started", data: { runtimeSessionId } }];
  }

  #request(request: ServerRequest): EventDraft[] {
    const uses = request.method === "droid.request_permission" ? request.params.toolUses : [];
    return [...uses.flatMap(({ toolUse }) => this.#call(toolUse)), requestDraft(request)];
  }

  /** Undefined for what belongs to a turn but comes outside of any. */
  #notification(told: Notification): EventDraft[] | undefined {
    switch (told.type) {
      case "droid_working_state_changed":
        return this.#state(told.newState);
      case "create_message":
        return this.#message(told);
      case "agent_turn_completed":
        return this.#end(told);
      case "session_compacted":
        return [{ type: "system", subtype: "compaction", data: { state: "completed" } }];
      case "queued_messages_discarded":
        return this.#dropped(told);
      case "mcp_auth_required":
        return [warning(`${told.serverName}: ${told.message}`)];
      case "mcp_status_changed":
        return this.#servers(told);
      case "assistant_text_delta":
      case "thinking_text_delta":
      case "assistant_message_retracted":
      case "llm_retry":
      case "tool_call":
      case "tool_execution_phase_changed":
      case "tool_result":
      case "error":
        return this.#turn.admits() ? this.#inTurn(told) : undefined;
      default:
        return [];
    }
  }

  #servers({ servers }: Told<"mcp_status_changed">): EventDraft[] {
    const failed = servers.filter(
      ({ name, status }) => status === "failed" && !this.#failedServers.has(name),
    );
    return failed.map(({ name, status, error = status }) => {
      this.#failedServers.add(name);
      return warning(`MCP server ${name}: ${error}`);
    });
  }

  #inTurn(told: InTurn): EventDraft[] {
    switch (told.type) {
      case "assistant_text_delta":
        return this.#words.piece("text", told);
      case "thinking_text_delta":
        return this.#words.piece("reasoning", told);
      case "assistant_message_retracted":
        return this.#words.abandon(told.messageId) ? [retry("taken back")] : [];
      case "llm_retry":
        this.#words.abandon();
        return [retry(told.reason, { attempt: told.attempt })];
      case "tool_call":
        this.#calls.note(told.toolUse);
        return [];
      case "tool_execution_phase_changed":
        return this.#calls.running(told.toolUseId, told.toolName);
      case "tool_result":
        return this.#calls.end(told.toolUseId, told.content, told.isError ?? false);
      case "error":
        this.#error = told.message;
        return [{ type: "error", ...errorInfo("agent_failed", told.message) }];
    }
  }

  #state(state: string): EventDraft[] {
    if (state === "compacting_conversation")
      return [{ type: "system", subtype: "compaction", data: { state: "started" } }];
    if (state !== "idle") this.#begin();
    return [];
  }

  #begin(): void {
    if (!this.#turn.begin()) return;
    this.#words.clear();
    this.#calls.clear();
    this.#usage = noUsage;
    this.#error = undefined;
    this.#notice = undefined;
    this.#plan = undefined;
  }

  /** What only the model is to see is no concern of ours. */
  #message({ message, requestId }: Told<"create_message">): EventDraft[] | undefined {
    const { id, role, content, visibility } = message;
    if (visibility === "llm_only") return [];
    switch (role) {
      case "user":
        if (requestId === undefined && !hasText(content)) return [];
        this.#begin();
        this.#turn.heard(id);
        return [];
      case "assistant":
        return this.#turn.admits() ? this.#spoken(id, content) : undefined;
      case "system":
        return this.#said(content);
      default:
        return [];
    }
  }

  #spoken(id: string, content: string | readonly Block[]): EventDraft[] {
    this.#error = undefined;
    this.#plan = undefined;
    const blocks = typeof content === "string" ? [] : content;
    return [
      ...this.#words.whole(id, content),
      ...blocks.filter(isUse).flatMap((use) => this.#call(use)),
    ];
  }

  #call(use: ToolUse): EventDraft[] {
    const told = this.#calls.tell(use);
    const plan = planOf(use);
    if (plan === undefined || told.length === 0) return told;
    this.#plan = plan;
    return [...told, { type: "system", subtype: "plan", text: plan }];
  }

  /** What Droid says to the user by itself is mostly about an error that has been told. */
  #said(content: string | readonly Block[]): EventDraft[] {
    const text =
      typeof content === "string" ? content : content.map((block) => block.text ?? "").join("\n");
    this.#notice = text;
    return this.#error === undefined ? [{ type: "system", subtype: "status", text }] : [];
  }

  #end(told: Told<"agent_turn_completed">): EventDraft[] {
    const { reason, turnId } = told;
    const usage = addUsage(this.#usage, this.#usages.of(told));
    switch (this.#turn.end(turnId, { isCancelled: reason === "cancelled" })) {
      case "other":
        return [warning(`Droid ended a turn that is not the one under way (${reason})`)];
      case "stretch":
        this.#usage = usage;
        this.#reason = reason;
        return [];
      case "turn":
        return [this.#completion(reason, usage)];
    }
  }

  #completion(reason: string, usage: Usage): EventDraft {
    const end = completionOf(reason, { error: this.#error, notice: this.#notice }, usage);
    const isPlan = end.status === "completed" && this.#plan !== undefined;
    return isPlan ? { ...end, text: this.#plan ?? "" } : end;
  }

  #dropped({ text, requestId }: Told<"queued_messages_discarded">): EventDraft[] {
    const messageId = requestId === undefined ? undefined : toMessageId(requestId);
    return [warning(`Droid dropped a message that waited: ${text}`), ...this.#lose(messageId)];
  }

  /** Nothing follows from that message, so that what was before it may have been the end. */
  #lose(messageId: string | undefined): EventDraft[] {
    const isEnd = messageId !== undefined && this.#turn.dropped(messageId);
    return isEnd ? [this.#completion(this.#reason, this.#usage)] : [];
  }
}

/** What only a turn can say. */
type InTurn = Told<
  | "assistant_text_delta"
  | "thinking_text_delta"
  | "assistant_message_retracted"
  | "llm_retry"
  | "tool_call"
  | "tool_execution_phase_changed"
  | "tool_result"
  | "error"
>;

function retry(text = "", data: Record<string, unknown> = {}): EventDraft {
  return { type: "system", subtype: "retry", text, data };
}

function hasText(content: string | readonly Block[]): boolean {
  return typeof content === "string" || content.some(({ text }) => text !== undefined);
}

function isUse(block: Block): block is Block & ToolUse {
  return block.type === "tool_use" && block.id !== undefined && block.name !== undefined;
}

import { usageDraft } from "../../../adapter-kit/report-drafts.ts";
import { type EventDraft, type Mapper, raw, warning } from "../../../contracts/event-draft.ts";
import { errorInfo } from "../../../errors/error.ts";
import type { Usage } from "../../../schema/outcome.ts";
import { addUsage, noUsage } from "../../../schema/usage/usage.ts";
import { JsonRpcError } from "../../../wire/json-rpc-error.ts";
import {
  type ContentBlock,
  DroidMessage,
  type Notification,
  type Response,
  type ServerRequest,
  type ToolUse,
} from "../messages.ts";
import { OneShotMapper } from "../one-shot/one-shot.ts";
import { requestDraft } from "../requests/requests.ts";
import { AssistantMessages } from "./assistant-messages.ts";
import { Calls } from "./calls.ts";
import { completionOf } from "./completion.ts";
import { toMessageId } from "./message-id.ts";
import { NativeTurn } from "./native-turn.ts";
import { planOf } from "./plan.ts";
import { TurnUsages } from "./usage.ts";

type NotificationOf<T extends Notification["type"]> = Extract<Notification, { type: T }>;

export interface MapperOptions {
  /** True if the connection reports the session id itself, so that the mapper does not. Defaults to false. */
  readonly live?: boolean;
  /**
   * The turn's state, shared with the connection that sends messages, because Droid may acknowledge a message only
   * after it has ended the turn.
   */
  readonly turn?: NativeTurn;
}

/** Creates the mapper for Droid's messages: a stream-jsonrpc session, or the output of one `droid exec`. */
export function createMapper(options: MapperOptions = {}): Mapper {
  return new DroidMapper(options);
}

class DroidMapper implements Mapper {
  readonly #isLive: boolean;
  readonly #oneShot = new OneShotMapper();
  readonly #turn: NativeTurn;
  readonly #messages = new AssistantMessages();
  readonly #calls = new Calls();
  readonly #usages = new TurnUsages();
  #usage = noUsage;
  /** The last error in this turn that was not followed by an assistant message. */
  #error: string | undefined;
  #notice: string | undefined;
  /** The submitted plan, if no assistant message follows it. */
  #plan: string | undefined;
  /** The reason why the last segment ended. */
  #reason = "completed";
  /** MCP servers whose failure was emitted. Droid reports the status of all servers when one of them changes. */
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
        return this.#turn.accepts() ? this.#request(message) : [raw(native)];
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
    if (messageId !== undefined) this.#turn.sent(messageId);
    const runtimeSessionId = result?.sessionId;
    if (runtimeSessionId === undefined || this.#isLive) return [];
    return [{ type: "system", subtype: "session_started", data: { runtimeSessionId } }];
  }

  #request(request: ServerRequest): EventDraft[] {
    const uses = request.method === "droid.request_permission" ? request.params.toolUses : [];
    return [...uses.flatMap(({ toolUse }) => this.#call(toolUse)), requestDraft(request)];
  }

  /** Maps a notification. Returns undefined if it belongs to a turn but arrives outside one. */
  #notification(notification: Notification): EventDraft[] | undefined {
    switch (notification.type) {
      case "droid_working_state_changed":
        return this.#state(notification.newState);
      case "create_message":
        return this.#message(notification);
      case "agent_turn_completed":
        return this.#end(notification);
      case "session_token_usage_changed":
        return this.#used(notification);
      case "session_compacted":
        return [{ type: "system", subtype: "compaction", data: { state: "completed" } }];
      case "queued_messages_discarded":
        return this.#dropped(notification);
      case "mcp_auth_required":
        return [warning(`${notification.serverName}: ${notification.message}`)];
      case "mcp_status_changed":
        return this.#servers(notification);
      case "assistant_text_delta":
      case "thinking_text_delta":
      case "assistant_message_retracted":
      case "llm_retry":
      case "tool_call":
      case "tool_execution_phase_changed":
      case "tool_result":
      case "error":
        return this.#turn.accepts() ? this.#inTurn(notification) : undefined;
      default:
        return [];
    }
  }

  #servers({ servers }: NotificationOf<"mcp_status_changed">): EventDraft[] {
    const failed = servers.filter(
      ({ name, status }) => status === "failed" && !this.#failedServers.has(name),
    );
    return failed.map(({ name, status, error = status }) => {
      this.#failedServers.add(name);
      return warning(`MCP server ${name}: ${error}`);
    });
  }

  #inTurn(notification: InTurn): EventDraft[] {
    switch (notification.type) {
      case "assistant_text_delta":
        return this.#messages.delta("text", notification);
      case "thinking_text_delta":
        return this.#messages.delta("reasoning", notification);
      case "assistant_message_retracted":
        return this.#messages.discard(notification.messageId)
          ? [retry("the attempt was retracted")]
          : [];
      case "llm_retry":
        this.#messages.discard();
        return [retry(notification.reason, { attempt: notification.attempt })];
      case "tool_call":
        this.#calls.record(notification.toolUse);
        return [];
      case "tool_execution_phase_changed":
        return this.#calls.running(notification.toolUseId, notification.toolName);
      case "tool_result":
        return this.#calls.end(
          notification.toolUseId,
          notification.content,
          notification.isError ?? false,
        );
      case "error":
        this.#error = notification.message;
        return [{ type: "error", ...errorInfo("agent_failed", notification.message) }];
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
    this.#messages.clear();
    this.#calls.clear();
    this.#usage = noUsage;
    this.#usages.begin();
    this.#error = undefined;
    this.#notice = undefined;
    this.#plan = undefined;
  }

  /** Maps a message. Ignores messages that are meant only for the model. */
  #message({ message, requestId }: NotificationOf<"create_message">): EventDraft[] | undefined {
    const { id, role, content, visibility } = message;
    if (visibility === "llm_only") return [];
    switch (role) {
      case "user":
        if (requestId === undefined && !hasText(content)) return [];
        this.#begin();
        this.#turn.started(id);
        return [];
      case "assistant":
        return this.#turn.accepts() ? this.#assistantMessage(id, content) : undefined;
      case "system":
        return this.#systemMessage(content);
      default:
        return [];
    }
  }

  #assistantMessage(id: string, content: string | readonly ContentBlock[]): EventDraft[] {
    this.#error = undefined;
    this.#plan = undefined;
    const blocks = typeof content === "string" ? [] : content;
    return [
      ...this.#messages.complete(id, content),
      ...blocks.filter(isUse).flatMap((use) => this.#call(use)),
    ];
  }

  #call(use: ToolUse): EventDraft[] {
    const drafts = this.#calls.emit(use);
    const plan = planOf(use);
    if (plan === undefined || drafts.length === 0) return drafts;
    this.#plan = plan;
    return [...drafts, { type: "system", subtype: "plan", text: plan }];
  }

  /** Maps Droid's own message to the user. Emits nothing after an error, because the message usually repeats the error. */
  #systemMessage(content: string | readonly ContentBlock[]): EventDraft[] {
    const text =
      typeof content === "string" ? content : content.map((block) => block.text ?? "").join("\n");
    this.#notice = text;
    return this.#error === undefined ? [{ type: "system", subtype: "status", text }] : [];
  }

  /** Reports the usage after each model request. */
  #used(notification: NotificationOf<"session_token_usage_changed">): EventDraft[] {
    const usage = this.#usages.running(notification, { isInTurn: this.#turn.accepts() });
    return usage ? [usageDraft(usage)] : [];
  }

  #end(notification: NotificationOf<"agent_turn_completed">): EventDraft[] {
    const { reason, turnId } = notification;
    const usage = addUsage(this.#usage, this.#usages.of(notification));
    switch (this.#turn.end(turnId, { isCancelled: reason === "cancelled" })) {
      case "other":
        return [warning(`Droid reported the end of an unknown turn (${reason})`)];
      case "segment":
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

  #dropped({ text, requestId }: NotificationOf<"queued_messages_discarded">): EventDraft[] {
    const messageId = requestId === undefined ? undefined : toMessageId(requestId);
    return [warning(`Droid discarded a queued message: ${text}`), ...this.#lose(messageId)];
  }

  /** Handles a message that Droid will not process. Ends the turn if it waited only for this message. */
  #lose(messageId: string | undefined): EventDraft[] {
    const isEnd = messageId !== undefined && this.#turn.dropped(messageId);
    return isEnd ? [this.#completion(this.#reason, this.#usage)] : [];
  }
}

/** Notifications that belong to a turn. */
type InTurn = NotificationOf<
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

function hasText(content: string | readonly ContentBlock[]): boolean {
  return typeof content === "string" || content.some(({ text }) => text !== undefined);
}

function isUse(block: ContentBlock): block is ContentBlock & ToolUse {
  return block.type === "tool_use" && block.id !== undefined && block.name !== undefined;
}

import { type EventDraft, type Mapper, raw } from "../../../contracts/event-draft.ts";
import { type JsonRpcId, readJsonRpc } from "../../../wire/json-rpc-message.ts";
import {
  type ChangingRequest,
  ClientRequest,
  changeDraft,
  coveringCall,
  isChanging,
} from "../client/client-requests.ts";
import { PermissionParams } from "../client/requests.ts";
import {
  type AcpTurnUsage,
  readError,
  type SessionUpdate,
  type ToolCall,
  type Update,
} from "../messages.ts";
import { AgentTurn } from "../turn.ts";
import { completionOf, type TurnEnd } from "./completion.ts";
import { textOf } from "./open-message.ts";
import { planDraft } from "./plan.ts";
import { readPromptResponse } from "./read-prompt-response.ts";
import { readUpdate, readUpdateParams } from "./read-update.ts";
import { SessionEvents } from "./session-events.ts";
import { type TerminalState, type Tool, toolOf } from "./tools.ts";

/** Options for `AcpMapper`. */
export interface MapperOptions {
  /** True if the session is open. Earlier messages and tool calls repeat the past conversation and are not emitted. */
  isOpen?(): boolean;
  /** The session id, if it is known. */
  session?(): string | undefined;
  /** True if the agent can resume the session. */
  canResume?(): boolean;
  /** True if the connection waits for the response to a prompt and reports a rejection itself. */
  awaits?(promptId: JsonRpcId): boolean;
  /** True if permission for a tool is decided without asking the user. */
  isDecided?(tool: Tool): boolean;
  /** True if permission for a call was granted or denied. */
  isSettled?(toolCallId: string): boolean;
  /** Returns the state of a terminal that the client runs for the agent, or undefined if the id is unknown. */
  terminal?(id: string): TerminalState | undefined;
}

/** The minimum id of a prompt. Other requests have smaller ids, so that a native log shows which responses end turns. */
export const FIRST_PROMPT_ID = 1_000_000;

/** Maps the messages of an ACP agent, in protocol version 1 or 2. */
export class AcpMapper implements Mapper {
  readonly #options: MapperOptions;
  readonly #session = new SessionEvents();
  readonly #ended = new Set<string>();
  /** True if `begin` starts the turns. False for a native log, in which a turn starts with its first message. */
  #isLive = false;
  #hasOpened = false;
  #isResumable = false;
  #turns = 0;
  #turn: AgentTurn | undefined;

  constructor(options: MapperOptions = {}) {
    this.#options = options;
  }

  /** Starts a turn, before its message is sent. */
  begin(name: string, promptId: number): void {
    this.#isLive = true;
    this.#turn = this.#newTurn(name, promptId);
  }

  /** Returns the id of the open tool call whose permission was granted or denied and covers a change, or undefined. */
  coveredBy(request: ChangingRequest): string | undefined {
    const isSettled = this.#options.isSettled ?? (() => true);
    const settled = (this.#turn?.calls.open ?? []).filter((call) =>
      isSettled(call.state.toolCallId),
    );
    return coveringCall(request, settled)?.state.toolCallId;
  }

  /** Returns the tool that a permission request is about. */
  toolFor(asked: ToolCall): Tool {
    return this.#turn?.toolFor(asked) ?? toolOf(asked);
  }

  /** The number of tool calls at the start of the last result of `map` that belong to earlier messages. */
  late = 0;

  map(native: unknown): EventDraft[] {
    const received = readJsonRpc(native);
    const drafts = this.#map(received, native);
    const { toolCallId } = callIn(received);
    const first = drafts.findIndex(
      (draft) => draft.type !== "tool_call" || isPartOf(draft.callId, toolCallId),
    );
    this.late = first === -1 ? drafts.length : first;
    return drafts;
  }

  #map(received: ReturnType<typeof readJsonRpc>, native: unknown): EventDraft[] {
    switch (received.kind) {
      case "result":
        return this.#response(received.id, received.result);
      case "failure":
        return this.#error(received.id, received.error);
      case "request":
        return this.#request(received.id, received.method, received.params) ?? [raw(native)];
      case "notification":
        if (received.method === "session/update")
          return this.#update(received.params) ?? [raw(native)];
        return isExtension(received.method) ? [] : [raw(native)];
      case "unknown":
        return [raw(native)];
    }
  }

  flush(): EventDraft[] {
    return this.#turn?.close() ?? [];
  }

  /** Maps a response. The response to a prompt ends the turn in version 1, and starts it in version 2. */
  #response(id: JsonRpcId, result: unknown): EventDraft[] {
    const { stopReason, messageId, usage } = readPromptResponse(result);
    if (!isPrompt(id) && stopReason === undefined) {
      this.#hasOpened ||= !isInitializeResponse(result);
      return [];
    }
    if (!this.#belongsToTurn(id)) return [];
    if (messageId !== undefined && stopReason === undefined) {
      this.#turnOf().isRunning = true;
      return [];
    }
    return this.#end(id, { stopReason }, usage);
  }

  #error(id: JsonRpcId, error: unknown): EventDraft[] {
    if (!isPrompt(id) || !this.#belongsToTurn(id)) return [];
    if (this.#options.awaits?.(id)) {
      this.#turn = undefined;
      return [];
    }
    return this.#end(id, { error: readError(error) });
  }

  #belongsToTurn(id: JsonRpcId): boolean {
    if (this.#isLive) return this.#turn !== undefined && String(this.#turn.promptId) === String(id);
    return !this.#ended.has(String(id));
  }

  #end(id: JsonRpcId | undefined, end: TurnEnd, reported?: AcpTurnUsage): EventDraft[] {
    const turn = this.#turnOf();
    const usage = this.#session.meter.usage(reported, { isFirst: this.#turns === 1 });
    if (id !== undefined) this.#ended.add(String(id));
    this.#turn = undefined;
    return [...turn.close(), completionOf(end, usage)];
  }

  #request(id: JsonRpcId, method: string, params: unknown): EventDraft[] | undefined {
    if (isExtension(method)) return [];
    if (method === "session/request_permission") {
      const { data } = PermissionParams.safeParse(params);
      const isDecided = this.#options.isDecided ?? (() => false);
      return data && this.#inTurn((turn) => turn.ask(String(id), data, isDecided));
    }
    if (method === "elicitation/create")
      return this.#inTurn((turn) => turn.askForm(String(id), params));
    const { data: request } = ClientRequest.safeParse({ method, params });
    if (request === undefined) return undefined;
    if (!isChanging(request) || this.coveredBy(request) !== undefined) return [];
    const draft = changeDraft(String(id), request);
    if (draft.tool && this.#options.isDecided?.(draft.tool)) return [];
    return this.#inTurn((turn) => turn.addRequest(draft));
  }

  /** Maps an update. Returns undefined if the update is unknown, or belongs to another session or to no open turn. */
  #update(params: unknown): EventDraft[] | undefined {
    const data = readUpdateParams(params);
    if (data === undefined) return undefined;
    const { sessionId } = data;
    const update = readUpdate(data.update);
    if (update === undefined) return isCustom(data.update) ? [] : undefined;
    if (sessionId !== (this.#options.session?.() ?? sessionId)) return undefined;
    return (
      this.#session.map(update) ?? (this.#isReplay() ? [] : this.#turnUpdate(update, sessionId))
    );
  }

  #isReplay(): boolean {
    return !(this.#options.isOpen?.() ?? this.#hasOpened);
  }

  #turnUpdate(update: SessionUpdate, sessionId: string): EventDraft[] | undefined {
    switch (update.sessionUpdate) {
      case "state_update":
        return this.#state(update);
      case "plan":
        return [planDraft(update.entries)];
      case "plan_update": {
        const { entries, content } = update.plan;
        if (entries) return [planDraft(entries)];
        return [{ type: "system", subtype: "plan", text: content ?? "" }];
      }
      default:
        return this.#inTurn((turn) => [...this.#resumable(sessionId), ...content(turn, update)]);
    }
  }

  /** Ends the turn when a running session becomes idle. */
  #state({ state, stopReason, error, usage }: Update<"state_update">): EventDraft[] {
    if (state !== "idle") {
      if (this.#turn || !this.#isLive) this.#turnOf().isRunning = true;
      return [];
    }
    if (!this.#turn?.isRunning) return [];
    const end = { stopReason, ...(error != null && { error: readError(error) }) };
    return this.#end(this.#turn.promptId, end, usage ?? undefined);
  }

  /** Reports once that the session can be resumed. An agent that processes a message has stored the session. */
  #resumable(runtimeSessionId: string): EventDraft[] {
    if (this.#isResumable || !this.#options.canResume?.()) return [];
    this.#isResumable = true;
    const data = { runtimeSessionId, resumable: true };
    return [{ type: "system", subtype: "status", data }];
  }

  /** Maps a message in the open turn. If no turn is open, starts one (native log) or returns undefined (live session). */
  #inTurn(map: (turn: AgentTurn) => EventDraft[]): EventDraft[] | undefined {
    if (this.#turn === undefined && this.#isLive) return undefined;
    const turn = this.#turnOf();
    turn.isRunning = true;
    return map(turn);
  }

  #turnOf(): AgentTurn {
    this.#turn ??= this.#newTurn(`turn-${this.#turns + 1}`);
    return this.#turn;
  }

  #newTurn(name: string, promptId?: number): AgentTurn {
    this.#turns += 1;
    this.#session.meter.begin();
    const { terminal } = this.#options;
    const terminalOf = (id: string) => this.#session.terminals.find(id) ?? terminal?.(id);
    return new AgentTurn({ name, terminalOf, ...(promptId !== undefined && { promptId }) });
  }
}

function content(turn: AgentTurn, update: SessionUpdate): EventDraft[] {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return turn.addDelta("text", update.messageId ?? undefined, textOf(update.content));
    case "agent_thought_chunk":
      return turn.addDelta("reasoning", update.messageId ?? undefined, textOf(update.content));
    case "agent_message":
    case "agent_thought": {
      const channel = update.sessionUpdate === "agent_message" ? "text" : "reasoning";
      const text = (update.content ?? []).map(textOf).join("");
      return turn.replaceMessage(channel, update.messageId ?? undefined, text);
    }
    case "tool_call":
    case "tool_call_update": {
      const { sessionUpdate, ...call } = update;
      return turn.updateCall(call);
    }
    case "tool_call_content_chunk":
      return turn.addContent(update.toolCallId, update.content);
    default:
      return [];
  }
}

function isPrompt(id: JsonRpcId): boolean {
  return Number(id) >= FIRST_PROMPT_ID;
}

function isInitializeResponse(result: unknown): boolean {
  return typeof result === "object" && result !== null && "protocolVersion" in result;
}

/** True for methods that may be ignored: the prefix `_` marks an agent's extension, `$/` an optional notification. */
function isExtension(method: string): boolean {
  return method.startsWith("_") || method.startsWith("$/");
}

function isCustom(update: unknown): boolean {
  if (typeof update !== "object" || update === null || !("sessionUpdate" in update)) return false;
  return typeof update.sessionUpdate === "string" && update.sessionUpdate.startsWith("_");
}

/** Returns the tool call in an update or a permission request. */
function callIn(received: ReturnType<typeof readJsonRpc>): { toolCallId?: unknown } {
  if (received.kind !== "notification" && received.kind !== "request") return {};
  const { update, toolCall } = Object(received.params);
  return Object(update ?? toolCall);
}

/** True if a draft belongs to a tool call. If the agent repeats an id, the draft's id ends in `#` and a number. */
function isPartOf(callId: string, toolCallId: unknown): boolean {
  return callId === toolCallId || callId.startsWith(`${toolCallId}#`);
}

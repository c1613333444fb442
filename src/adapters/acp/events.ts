import { type EventDraft, type Mapper, raw } from "../../core/draft.ts";
import { type JsonRpcId, readJsonRpc } from "../../wire/json-rpc-message.ts";
import {
  type ChangingRequest,
  ClientRequest,
  changeDraft,
  coveringCall,
  isChanging,
} from "./client-requests.ts";
import { completionOf, type TurnEnd } from "./completion.ts";
import {
  readError,
  type SessionUpdate,
  type ToolCall,
  type TurnUsage,
  type Update,
} from "./messages.ts";
import { planDraft } from "./plan.ts";
import { readAnswer } from "./read-answer.ts";
import { readNote, readUpdate } from "./read-update.ts";
import { PermissionParams } from "./requests.ts";
import { SessionEvents } from "./session-events.ts";
import { type ToldTerminal, type Tool, toolOf } from "./tools.ts";
import { Turn } from "./turn.ts";
import { textOf } from "./words.ts";

export interface MapperOptions {
  /** Whether the session is open: what is told of words and tools before that is its history. */
  isOpen?(): boolean;
  /** The session's own id, once it is known. */
  session?(): string | undefined;
  /** Whether the session could be gone on with in another process. */
  canResume?(): boolean;
  /** Whether somebody waits for the answer to that prompt, and tells of a refusal. */
  awaits?(promptId: JsonRpcId): boolean;
  /** Whether permission to use a tool is given or refused without anybody being asked. */
  isDecided?(tool: Tool): boolean;
  /** Whether permission for a call was given or refused by now. */
  isSettled?(toolCallId: string): boolean;
  /** A terminal that we hold for the agent. */
  terminal?(id: string): ToldTerminal | undefined;
}

/** The ids of prompts begin here, so that the answer to one can be told from other answers in a recording too. */
export const PROMPTS_FROM = 1_000_000;

/** What an ACP agent says, in our words, whichever version of the protocol it speaks. */
export class AcpMapper implements Mapper {
  readonly #options: MapperOptions;
  readonly #session = new SessionEvents();
  readonly #ended = new Set<string>();
  /** Whether turns are begun by `begin`, and not by what is seen of them first. */
  #isLed = false;
  #hasOpened = false;
  #isResumable = false;
  #turns = 0;
  #turn: Turn | undefined;

  constructor(options: MapperOptions = {}) {
    this.#options = options;
  }

  /** A message is about to be sent. */
  begin(name: string, promptId: number): void {
    this.#isLed = true;
    this.#turn = this.#newTurn(name, promptId);
  }

  /** The call that permission was asked for and that this is a part of. */
  coveredBy(request: ChangingRequest): string | undefined {
    const isSettled = this.#options.isSettled ?? (() => true);
    const settled = (this.#turn?.calls.open ?? []).filter((call) =>
      isSettled(call.state.toolCallId),
    );
    return coveringCall(request, settled)?.state.toolCallId;
  }

  /** What permission is asked for. */
  toolFor(asked: ToolCall): Tool {
    return this.#turn?.toolFor(asked) ?? toolOf(asked);
  }

  /** Tool calls that were held back until the agent went on to something else. */
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
        return this.#answered(received.id, received.result);
      case "failure":
        return this.#refused(received.id, received.error);
      case "request":
        return this.#asked(received.id, received.method, received.params) ?? [raw(native)];
      case "notification":
        if (received.method === "session/update")
          return this.#told(received.params) ?? [raw(native)];
        return isExtension(received.method) ? [] : [raw(native)];
      case "unknown":
        return [raw(native)];
    }
  }

  flush(): EventDraft[] {
    return this.#turn?.close() ?? [];
  }

  /** The answer to a prompt ends the turn in version 1, and says that it has begun in version 2. */
  #answered(id: JsonRpcId, result: unknown): EventDraft[] {
    const { stopReason, messageId, usage } = readAnswer(result);
    if (!isPrompt(id) && stopReason === undefined) {
      this.#hasOpened ||= !isGreeting(result);
      return [];
    }
    if (!this.#isOfTurn(id)) return [];
    if (messageId !== undefined && stopReason === undefined) {
      this.#turnOf().isRunning = true;
      return [];
    }
    return this.#end(id, { stopReason }, usage);
  }

  #refused(id: JsonRpcId, error: unknown): EventDraft[] {
    if (!isPrompt(id) || !this.#isOfTurn(id)) return [];
    if (this.#options.awaits?.(id)) {
      this.#turn = undefined;
      return [];
    }
    return this.#end(id, { error: readError(error) });
  }

  #isOfTurn(id: JsonRpcId): boolean {
    if (this.#isLed) return this.#turn !== undefined && String(this.#turn.promptId) === String(id);
    return !this.#ended.has(String(id));
  }

  #end(id: JsonRpcId | undefined, end: TurnEnd, told?: TurnUsage): EventDraft[] {
    const turn = this.#turnOf();
    const usage = this.#session.meter.usage(told, { isFirst: this.#turns === 1 });
    if (id !== undefined) this.#ended.add(String(id));
    this.#turn = undefined;
    return [...turn.close(), completionOf(end, usage)];
  }

  #asked(id: JsonRpcId, method: string, params: unknown): EventDraft[] | undefined {
    if (isExtension(method)) return [];
    if (method === "session/request_permission") {
      const { data } = PermissionParams.safeParse(params);
      const isDecided = this.#options.isDecided ?? (() => false);
      return data && this.#inTurn((turn) => turn.ask(String(id), data, isDecided));
    }
    const { data: request } = ClientRequest.safeParse({ method, params });
    if (request === undefined) return method.startsWith("elicitation/") ? [] : undefined;
    if (!isChanging(request) || this.coveredBy(request) !== undefined) return [];
    const draft = changeDraft(String(id), request);
    if (draft.tool && this.#options.isDecided?.(draft.tool)) return [];
    return this.#inTurn((turn) => turn.askFor(draft));
  }

  /** Undefined for what is not known, or belongs to nothing that is under way. */
  #told(params: unknown): EventDraft[] | undefined {
    const note = readNote(params);
    if (note === undefined) return undefined;
    const { sessionId, update } = note;
    const data = readUpdate(update);
    if (data === undefined) return isCustom(update) ? [] : undefined;
    if (sessionId !== (this.#options.session?.() ?? sessionId)) return undefined;
    return this.#session.tell(data) ?? (this.#isReplay() ? [] : this.#work(data, sessionId));
  }

  #isReplay(): boolean {
    return !(this.#options.isOpen?.() ?? this.#hasOpened);
  }

  #work(update: SessionUpdate, sessionId: string): EventDraft[] | undefined {
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

  /** A session that says it is idle and was not at work says nothing new. */
  #state({ state, stopReason, error, usage }: Update<"state_update">): EventDraft[] {
    if (state !== "idle") {
      if (this.#turn || !this.#isLed) this.#turnOf().isRunning = true;
      return [];
    }
    if (!this.#turn?.isRunning) return [];
    const end = { stopReason, ...(error != null && { error: readError(error) }) };
    return this.#end(this.#turn.promptId, end, usage ?? undefined);
  }

  /** An agent that works on a message has a record of it. */
  #resumable(runtimeSessionId: string): EventDraft[] {
    if (this.#isResumable || !this.#options.canResume?.()) return [];
    this.#isResumable = true;
    const data = { runtimeSessionId, resumable: true };
    return [{ type: "system", subtype: "status", data }];
  }

  /** Undefined for what comes when no turn is under way. */
  #inTurn(tell: (turn: Turn) => EventDraft[]): EventDraft[] | undefined {
    if (this.#turn === undefined && this.#isLed) return undefined;
    const turn = this.#turnOf();
    turn.isRunning = true;
    return tell(turn);
  }

  #turnOf(): Turn {
    this.#turn ??= this.#newTurn(`turn-${this.#turns + 1}`);
    return this.#turn;
  }

  #newTurn(name: string, promptId?: number): Turn {
    this.#turns += 1;
    this.#session.meter.begin();
    const { terminal } = this.#options;
    const terminalOf = (id: string) => this.#session.terminals.find(id) ?? terminal?.(id);
    return new Turn({ name, terminalOf, ...(promptId !== undefined && { promptId }) });
  }
}

function content(turn: Turn, update: SessionUpdate): EventDraft[] {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return turn.say("text", update.messageId ?? undefined, textOf(update.content));
    case "agent_thought_chunk":
      return turn.say("reasoning", update.messageId ?? undefined, textOf(update.content));
    case "agent_message":
    case "agent_thought": {
      const channel = update.sessionUpdate === "agent_message" ? "text" : "reasoning";
      const text = (update.content ?? []).map(textOf).join("");
      return turn.sayWhole(channel, update.messageId ?? undefined, text);
    }
    case "tool_call":
    case "tool_call_update": {
      const { sessionUpdate, ...call } = update;
      return turn.use(call);
    }
    case "tool_call_content_chunk":
      return turn.show(update.toolCallId, update.content);
    default:
      return [];
  }
}

function isPrompt(id: JsonRpcId): boolean {
  return Number(id) >= PROMPTS_FROM;
}

function isGreeting(result: unknown): boolean {
  return typeof result === "object" && result !== null && "protocolVersion" in result;
}

/** What an agent and its own client have agreed on beyond the protocol; `$/` is JSON-RPC's own. */
function isExtension(method: string): boolean {
  return method.startsWith("_") || method.startsWith("$/");
}

function isCustom(update: unknown): boolean {
  if (typeof update !== "object" || update === null || !("sessionUpdate" in update)) return false;
  return typeof update.sessionUpdate === "string" && update.sessionUpdate.startsWith("_");
}

/** The call that a message is about, whether it reports it or asks for permission. */
function callIn(received: ReturnType<typeof readJsonRpc>): { toolCallId?: unknown } {
  if (received.kind !== "notification" && received.kind !== "request") return {};
  const { update, toolCall } = Object(received.params);
  return Object(update ?? toolCall);
}

/** A call whose id was used before has a number behind it. */
function isPartOf(callId: string, toolCallId: unknown): boolean {
  return callId === toolCallId || callId.startsWith(`${toolCallId}#`);
}

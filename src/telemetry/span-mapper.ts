import type {
  CompletionEvent,
  RequestEvent,
  ResponseEvent,
  StreamEvent,
  ToolCallEvent,
  ToolResultEvent,
} from "../schema/event.ts";
import type { SessionInfo } from "../schema/session.ts";
import { traceParentIn } from "../schema/trace-parent.ts";
import {
  inputMessages,
  outputMessages,
  requestAttributes,
  sessionAttributes,
  toolAttributes,
  turnAttributes,
  waitAttributes,
} from "./attributes.ts";
import { type Span, spanIdOf, traceIdOf, turnSpanId } from "./span.ts";

/** Options of `SpanMapper`. */
export interface SpanMapperOptions {
  /** True to include the texts of users, agents and tools. */
  readonly content: boolean;
}

type Envelope = Pick<StreamEvent, "at" | "seq">;
type Part = "turn" | "tool" | "request" | "wait";

interface OpenTurn {
  readonly id: string;
  readonly startAt: string;
  readonly text: string;
  /** The trace context of the caller. */
  readonly caller: string | undefined;
  toolCalls: number;
  lastText: string;
}

/**
 * Maps the events of one session to spans. The root span is the start of the agent, and its children are the turns. The
 * spans below a turn are tool calls, requests that the policy asks about or denies, and waits for a usage limit or a
 * budget. Receives the events in order, from the first event of the session or of a turn.
 */
export class SpanMapper {
  readonly #options: SpanMapperOptions;
  readonly #tools = new Map<string, ToolCallEvent & Envelope>();
  readonly #requests = new Map<string, RequestEvent & Envelope>();
  #startedAt: string | undefined;
  #waiting: (Extract<StreamEvent, { type: "system" }> & Envelope) | undefined;
  #turn: OpenTurn | undefined;

  constructor(options: SpanMapperOptions) {
    this.#options = options;
  }

  /** Returns the spans that end with an event. `info` is the state of the session after the event or later. */
  map(event: StreamEvent, info: SessionInfo): Span[] {
    switch (event.type) {
      case "system":
        return this.#onSystem(event, info);
      case "tool_call":
        if (this.#turn) this.#turn.toolCalls++;
        this.#tools.set(event.callId, event);
        return [];
      case "tool_result":
        return this.#endTool(event, info);
      case "request":
        if (event.verdict !== "allow") this.#requests.set(event.requestId, event);
        return [];
      case "response":
        return this.#endRequest(event, info);
      case "message":
        if (this.#turn && event.role === "assistant" && event.channel === "text")
          this.#turn.lastText = event.text;
        return [];
      case "completion":
        return this.#endTurn(event, info);
      case "delta":
      case "error":
        return [];
    }
  }

  #onSystem(event: Extract<StreamEvent, { type: "system" }>, info: SessionInfo): Span[] {
    const { at, turnId, subtype, text = "", data = {} } = event;
    if (subtype === "session_started" && data.opened === "started") this.#startedAt = at;
    if (subtype === "session_ready" || subtype === "session_stopped")
      return this.#endStart(event, info);
    if (subtype === "turn_started" && turnId !== undefined)
      this.#turn = {
        id: turnId,
        startAt: at,
        text,
        caller: traceParentIn(data),
        toolCalls: 0,
        lastText: "",
      };
    if (subtype === "turn_waiting") this.#waiting = event;
    return subtype === "turn_continued" ? this.#endWait(at, info) : [];
  }

  /**
   * Ends the agent's start span, which lasts from the creation of the session until the agent is ready or the session
   * stops.
   */
  #endStart(event: Extract<StreamEvent, { type: "system" }>, info: SessionInfo): Span[] {
    const startedAt = this.#startedAt;
    this.#startedAt = undefined;
    if (startedAt === undefined) return [];
    const hasFailed = event.subtype === "session_stopped";
    const { error } = info;
    return [
      {
        name: `create_agent ${info.runtime}`,
        kind: "client",
        traceId: traceIdOf(info.id),
        spanId: spanIdOf(info.id),
        startAt: [info.createdAt, startedAt].sort()[0] ?? startedAt,
        endAt: event.at,
        attributes: sessionAttributes(info, "create_agent"),
        ...(hasFailed && { error: { type: error?.code ?? "stopped", ...messageOf(error) } }),
      },
    ];
  }

  #endTool(event: ToolResultEvent & Envelope, info: SessionInfo): Span[] {
    const call = this.#tools.get(event.callId);
    this.#tools.delete(event.callId);
    if (call === undefined) return [];
    const hasFailed = event.isError || (event.exitCode ?? 0) !== 0;
    const type = event.exitCode ? `exit_${event.exitCode}` : "tool_error";
    return [this.#toolSpan(call, event.at, info, { event, ...(hasFailed && { error: { type } }) })];
  }

  #toolSpan(
    call: ToolCallEvent & Envelope,
    endAt: string,
    info: SessionInfo,
    { event, error }: { event?: ToolResultEvent; error?: { type: string } },
  ): Span {
    const attributes = toolAttributes(call, event, this.#options);
    return {
      ...this.#place(info, "tool", call.callId),
      name: `execute_tool ${call.name}`,
      startAt: call.at,
      endAt,
      attributes,
      ...(error && { error }),
    };
  }

  #endRequest(event: ResponseEvent & Envelope, info: SessionInfo): Span[] {
    const request = this.#requests.get(event.requestId);
    this.#requests.delete(event.requestId);
    return request === undefined ? [] : [this.#requestSpan(request, event.at, info, event)];
  }

  #requestSpan(
    request: RequestEvent & Envelope,
    endAt: string,
    info: SessionInfo,
    response?: ResponseEvent,
  ): Span {
    const { callId } = request;
    const isOfTool = callId !== undefined && this.#tools.has(callId);
    return {
      ...this.#place(info, "request", request.requestId),
      ...(isOfTool && { parentSpanId: spanIdOf(info.id, "tool", callId) }),
      name: `request ${request.kind}`,
      startAt: request.at,
      endAt,
      attributes: requestAttributes(request, response, this.#options),
    };
  }

  #endWait(endAt: string, info: SessionInfo): Span[] {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) return [];
    const attributes = waitAttributes(waiting.data ?? {});
    return [
      {
        ...this.#place(info, "wait", String(waiting.seq)),
        name: `wait ${attributes["halyard.wait.reason"]}`,
        startAt: waiting.at,
        endAt,
        attributes,
      },
    ];
  }

  /** Ends the spans of the turn and of all open work in it. */
  #endTurn(
    event: CompletionEvent & Envelope & { turnId?: string | undefined },
    info: SessionInfo,
  ): Span[] {
    const { outcome, at, turnId } = event;
    if (this.#turn && this.#turn.id !== turnId) return []; // a queued turn was cancelled while this turn runs
    const spans = [
      ...[...this.#requests.values()].map((request) => this.#requestSpan(request, at, info)),
      ...[...this.#tools.values()].map((call) =>
        this.#toolSpan(call, at, info, { error: { type: "no_result" } }),
      ),
      ...this.#endWait(at, info),
    ];
    const turn = this.#turn;
    this.#requests.clear();
    this.#tools.clear();
    this.#turn = undefined;
    if (turn === undefined || turn.id !== turnId) return spans; // the turn was queued and never started
    const { content } = this.#options;
    const failure = outcome.status === "completed" ? undefined : outcome;
    return [
      ...spans,
      {
        ...this.#place(info, "turn", turn.id),
        parentSpanId: spanIdOf(info.id),
        kind: "client",
        name: `invoke_agent ${info.runtime}`,
        startAt: turn.startAt,
        endAt: at,
        ...(turn.caller !== undefined && { link: turn.caller }),
        attributes: {
          ...turnAttributes(info, outcome, turn),
          ...(content && inputMessages(turn.text)),
          ...(content && outputMessages(outcome.text || turn.lastText, outcome.stopReason)),
        },
        ...(failure && {
          error: { type: failure.error?.code ?? failure.status, ...messageOf(failure.error) },
        }),
      },
    ];
  }

  /** Returns the ids of a span: its parent is the running turn, or the session if no turn is running. */
  #place(
    { id }: SessionInfo,
    part: Part,
    name: string,
  ): Pick<Span, "traceId" | "spanId" | "parentSpanId" | "kind"> {
    const turn = this.#turn;
    return {
      traceId: traceIdOf(id),
      spanId: part === "turn" ? turnSpanId(id, name) : spanIdOf(id, part, name),
      parentSpanId: turn ? turnSpanId(id, turn.id) : spanIdOf(id),
      kind: "internal",
    };
  }
}

function messageOf(error: { readonly message: string } | undefined): { message?: string } {
  return error ? { message: error.message } : {};
}

import { usageDraft } from "../../../adapter-kit/report-drafts.ts";
import { type EventDraft, type Mapper, raw, warning } from "../../../contracts/event-draft.ts";
import { readJsonRpc } from "../../../wire/json-rpc-message.ts";
import { type Noise, Notification, type NotificationOf } from "../messages.ts";
import { requestDrafts } from "../requests/request-drafts.ts";
import { ServerRequest } from "../requests/server-requests.ts";
import { ExecEvents } from "./exec-events.ts";
import { ToolItem } from "./items.ts";
import { AccountWindows } from "./limits.ts";
import { ScreenAnswers } from "./screen-answers.ts";
import { type DeltaNotification, TurnEvents } from "./turn-events.ts";
import { UsageMeter } from "./usage.ts";

/** Options for the Codex mapper. */
export interface MapperOptions {
  /** Returns the id of the session's own thread, if known. All other threads belong to subagents. */
  mainThread?(): string | undefined;
}

/** Creates a mapper for `codex app-server` messages and for native logs of `codex exec --json`. */
export function createMapper(options: MapperOptions = {}): Mapper {
  return new CodexMapper(options);
}

class CodexMapper implements Mapper {
  readonly #options: MapperOptions;
  readonly #exec = new ExecEvents();
  readonly #meter = new UsageMeter();
  readonly #windows = new AccountWindows();
  /** The ids of the subagents' threads. */
  readonly #children = new Set<string>();
  readonly #endedTurns = new Set<string>();
  /** The threads that were already reported as resumable. */
  readonly #resumable = new Set<string>();
  /** The call ids of the commands that were running when their turn ended, by item id. */
  readonly #backgroundCommands = new Map<string, string>();
  readonly #answers = new ScreenAnswers();
  #turn: TurnEvents | undefined;
  #lastWarning = "";

  constructor(options: MapperOptions) {
    this.#options = options;
  }

  map(native: unknown): EventDraft[] {
    return this.#answers.addAnswers(this.#map(native));
  }

  #map(native: unknown): EventDraft[] {
    const received = readJsonRpc(native);
    switch (received.kind) {
      case "result":
        return this.#answers.onRunningCommands(received.result, this.#turn?.calls.open ?? []);
      case "failure":
        return []; // the sender of the request handles the response
      case "request":
        return this.#onRequest(native, received.method);
      case "notification": {
        if (received.method.startsWith(DUPLICATE_PREFIX)) return [];
        const { data: notification } = Notification.safeParse(native);
        return (notification && this.#onNotification(notification)) ?? [raw(native)];
      }
      case "unknown":
        return this.#exec.map(native) ?? [raw(native)];
    }
  }

  flush(): EventDraft[] {
    return this.#turn?.settle() ?? [];
  }

  #onRequest(native: unknown, method: string): EventDraft[] {
    const { data: request } = ServerRequest.safeParse(native);
    if (request === undefined) return method === TOOL_CALL ? [] : [raw(native)];
    const { threadId, turnId } = request.params;
    const turn = turnId ? (this.#turnOf({ threadId, turnId }) ?? this.#turn) : this.#turn;
    return [...(turn?.settle() ?? []), ...requestDrafts(request, turn?.calls.open ?? [])];
  }

  /** Maps a notification. Returns undefined if it belongs to a turn that is not active. */
  #onNotification(notification: Notification): EventDraft[] | undefined {
    switch (notification.method) {
      case "thread/started": {
        const { id, parentThreadId } = notification.params.thread;
        if (parentThreadId) this.#children.add(id);
        return [];
      }
      case "turn/started":
        return this.#start(notification.params.threadId, notification.params.turn.id);
      case "turn/completed":
        return this.#complete(notification.params);
      case "item/started":
      case "item/completed":
        return this.#item(notification);
      case "item/agentMessage/delta":
      case "item/plan/delta":
      case "item/reasoning/summaryTextDelta":
      case "item/reasoning/textDelta":
        return this.#delta(notification);
      case "turn/plan/updated":
        return this.#inTurn(notification.params, (turn) => turn.planned(notification.params));
      case "thread/tokenUsage/updated":
        return this.#used(notification.params);
      case "account/rateLimits/updated":
        return this.#windows.update(notification.params);
      case "error":
        return this.#failed(notification.params);
      case "warning":
      case "guardianWarning":
        return this.#warn(notification.params.message);
      case "configWarning": {
        const { summary, details } = notification.params;
        return this.#warn(details ? `${summary}\n${details}` : summary);
      }
      case "mcpServer/startupStatus/updated": {
        const { name, status, error } = notification.params;
        return status === "failed" ? this.#warn(`MCP server ${name}: ${error ?? status}`) : [];
      }
      case "serverRequest/resolved":
        return this.#answers.onResolved(String(notification.params.requestId));
      case "model/rerouted":
        return this.#warn(
          `${notification.params.toModel} replaces ${notification.params.fromModel}`,
        );
      default:
        notification.method satisfies Noise;
        return [];
    }
  }

  #start(threadId: string, turnId: string): EventDraft[] | undefined {
    if (this.#isChild(threadId) || this.#turn?.id === turnId) return [];
    if (this.#endedTurns.has(turnId)) return undefined;
    if (this.#turn && this.#turn.threadId !== threadId) return undefined;
    const lost = this.#turn ? this.#end(this.#turn, lostTurn) : [];
    this.#open(threadId, turnId);
    if (this.#resumable.has(threadId)) return lost;
    this.#resumable.add(threadId);
    const data = { runtimeSessionId: threadId, resumable: true };
    return [...lost, { type: "system", subtype: "status", data }];
  }

  #complete({
    threadId,
    turn,
  }: NotificationOf<"turn/completed">["params"]): EventDraft[] | undefined {
    if (this.#isChild(threadId) || this.#endedTurns.has(turn.id)) return [];
    const open = this.#turnOf({ threadId, turnId: turn.id });
    return open && this.#end(open, turn);
  }

  #end(turn: TurnEvents, ending: NotificationOf<"turn/completed">["params"]["turn"]): EventDraft[] {
    const drafts = turn.completion(ending, this.#meter.usage);
    for (const { item, callId } of turn.calls.open) this.#backgroundCommands.set(item.id, callId);
    this.#endedTurns.add(turn.id);
    this.#turn = undefined;
    return drafts;
  }

  #item({
    method,
    params,
  }: NotificationOf<"item/started" | "item/completed">): EventDraft[] | undefined {
    const { threadId, item } = params;
    if (item.type === "collabAgentToolCall")
      for (const agent of item.receiverThreadIds) this.#children.add(agent);
    if (item.type === "subAgentActivity") this.#children.add(item.agentThreadId);
    const turn = this.#turnOf(params);
    const isStart = method === "item/started";
    if (turn) return isStart ? turn.started(item) : turn.completed(item);
    if (!isStart && this.#backgroundCommands.has(item.id))
      return this.#endBackgroundCommand(item.id);
    if (!this.#isChild(threadId)) return undefined;
    const { data: tool } = ToolItem.safeParse(item);
    if (tool === undefined) return []; // ignored: a subagent's messages are addressed to the agent that started it
    const calls = this.#turn?.calls;
    return isStart ? calls?.start(threadId, tool) : calls?.end(threadId, tool);
  }

  /** Reports the end of a command that ran longer than its turn. */
  #endBackgroundCommand(itemId: string): EventDraft[] {
    const callId = this.#backgroundCommands.get(itemId);
    this.#backgroundCommands.delete(itemId);
    const text = "a background command of an earlier turn has ended";
    return [{ type: "system", subtype: "status", text, data: { callId } }];
  }

  #delta(notification: DeltaNotification): EventDraft[] | undefined {
    return this.#inTurn(notification.params, (turn) => turn.delta(notification));
  }

  #used({
    threadId,
    tokenUsage,
  }: NotificationOf<"thread/tokenUsage/updated">["params"]): EventDraft[] {
    const turn = this.#turn;
    if (turn === undefined || (turn.threadId !== threadId && !this.#isChild(threadId))) {
      this.#meter.recordIdle(threadId, tokenUsage.total);
      return [];
    }
    const isNew = this.#meter.record(threadId, tokenUsage);
    if (!isNew) return [];
    const settled = turn.threadId === threadId ? turn.settle() : [];
    return [...settled, usageDraft(this.#meter.usage)];
  }

  #failed(params: NotificationOf<"error">["params"]): EventDraft[] {
    return this.#inTurn(params, (turn) => turn.failed(params)) ?? this.#warn(params.error.message);
  }

  /** Returns a warning, unless it is harmless or repeats the last warning. Codex sends some warnings with every turn. */
  #warn(text: string): EventDraft[] {
    if (text === this.#lastWarning || HARMLESS.test(text)) return [];
    this.#lastWarning = text;
    return [warning(text)];
  }

  /** Maps a notification in its turn. Returns no drafts for subagents, and undefined if the turn is not active. */
  #inTurn(
    params: { threadId: string; turnId: string },
    map: (turn: TurnEvents) => EventDraft[],
  ): EventDraft[] | undefined {
    const turn = this.#turnOf(params);
    if (turn) return map(turn);
    return this.#isChild(params.threadId) ? [] : undefined;
  }

  /**
   * Returns the active turn if its id matches. If no turn is active, starts one, because the start notification may be
   * missing. Returns undefined for a turn that has ended, and for a turn of a subagent.
   */
  #turnOf({ threadId, turnId }: { threadId: string; turnId: string }): TurnEvents | undefined {
    if (this.#turn) return this.#turn.id === turnId ? this.#turn : undefined;
    if (this.#endedTurns.has(turnId) || this.#isChild(threadId)) return undefined;
    return this.#open(threadId, turnId);
  }

  #open(threadId: string, turnId: string): TurnEvents {
    this.#meter.reset();
    this.#turn = new TurnEvents(threadId, turnId);
    return this.#turn;
  }

  #isChild(threadId: string): boolean {
    const main = this.#options.mainThread?.();
    return main === undefined ? this.#children.has(threadId) : threadId !== main;
  }
}

/** The prefix of the duplicate notifications that older releases send. */
const DUPLICATE_PREFIX = "codex/event/";

/** The request to run a client tool. Ignored, because the tool's item already reports the call. */
const TOOL_CALL = "item/tool/call";

const lostTurn = {
  id: "",
  status: "failed",
  error: { message: "Codex started another turn without ending this one. Send the message again." },
};

/** A warning that is not reported, because Codex contains its own bubblewrap. */
const HARMLESS = /could not find bubblewrap on PATH/;

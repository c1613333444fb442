import { type EventDraft, type Mapper, raw, warning } from "../../core/draft.ts";
import { readJsonRpc } from "../../wire/json-rpc-message.ts";
import { ExecEvents } from "./exec-events.ts";
import { ToolItem } from "./items.ts";
import { type Noise, type Note, Notification } from "./messages.ts";
import { requestDrafts } from "./request-drafts.ts";
import { ServerRequest } from "./server-requests.ts";
import { type Piece, TurnEvents } from "./turn-events.ts";
import { UsageMeter } from "./usage.ts";

export interface MapperOptions {
  /** The session's own thread, once it is known: all others are its sub-agents'. */
  mainThread?(): string | undefined;
}

/** What Codex says in our words: `codex app-server`, and recordings of `codex exec --json`. */
export function createMapper(options: MapperOptions = {}): Mapper {
  return new CodexMapper(options);
}

class CodexMapper implements Mapper {
  readonly #options: MapperOptions;
  readonly #exec = new ExecEvents();
  readonly #meter = new UsageMeter();
  /** Threads of sub-agents. */
  readonly #children = new Set<string>();
  readonly #endedTurns = new Set<string>();
  /** Threads that are on record, and were told to be. */
  readonly #resumable = new Set<string>();
  /** Commands that had not ended when their turn did, by item. */
  readonly #leftBehind = new Map<string, string>();
  #turn: TurnEvents | undefined;
  #lastWarning = "";

  constructor(options: MapperOptions) {
    this.#options = options;
  }

  map(native: unknown): EventDraft[] {
    const received = readJsonRpc(native);
    switch (received.kind) {
      case "result":
      case "failure":
        return []; // for whoever asked
      case "request":
        return this.#asked(native, received.method);
      case "notification": {
        if (received.method.startsWith(OLD_DIALECT)) return [];
        const { data: note } = Notification.safeParse(native);
        return (note && this.#told(note)) ?? [raw(native)];
      }
      case "unknown":
        return this.#exec.map(native) ?? [raw(native)];
    }
  }

  flush(): EventDraft[] {
    return this.#turn?.settle() ?? [];
  }

  #asked(native: unknown, method: string): EventDraft[] {
    const { data: request } = ServerRequest.safeParse(native);
    if (request === undefined) return method === TOOL_CALL ? [] : [raw(native)];
    const { threadId, turnId } = request.params;
    const turn = turnId ? (this.#turnOf({ threadId, turnId }) ?? this.#turn) : this.#turn;
    return [...(turn?.settle() ?? []), ...requestDrafts(request, turn?.calls.open ?? [])];
  }

  /** Undefined for what belongs to no turn that is under way, and should. */
  #told(note: Notification): EventDraft[] | undefined {
    switch (note.method) {
      case "thread/started": {
        const { id, parentThreadId } = note.params.thread;
        if (parentThreadId) this.#children.add(id);
        return [];
      }
      case "turn/started":
        return this.#begin(note.params.threadId, note.params.turn.id);
      case "turn/completed":
        return this.#complete(note.params);
      case "item/started":
      case "item/completed":
        return this.#item(note);
      case "item/agentMessage/delta":
      case "item/plan/delta":
      case "item/reasoning/summaryTextDelta":
      case "item/reasoning/textDelta":
        return this.#piece(note);
      case "turn/plan/updated":
        return this.#inTurn(note.params, (turn) => turn.planned(note.params));
      case "thread/tokenUsage/updated":
        return this.#used(note.params);
      case "error":
        return this.#failed(note.params);
      case "warning":
      case "guardianWarning":
        return this.#warn(note.params.message);
      case "configWarning": {
        const { summary, details } = note.params;
        return this.#warn(details ? `${summary}\n${details}` : summary);
      }
      case "mcpServer/startupStatus/updated": {
        const { name, status, error } = note.params;
        return status === "failed" ? this.#warn(`MCP server ${name}: ${error ?? status}`) : [];
      }
      case "model/rerouted":
        return this.#warn(`${note.params.toModel} answers in place of ${note.params.fromModel}`);
      default:
        note.method satisfies Noise;
        return [];
    }
  }

  #begin(threadId: string, turnId: string): EventDraft[] | undefined {
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

  #complete({ threadId, turn }: Note<"turn/completed">["params"]): EventDraft[] | undefined {
    if (this.#isChild(threadId) || this.#endedTurns.has(turn.id)) return [];
    const open = this.#turnOf({ threadId, turnId: turn.id });
    return open && this.#end(open, turn);
  }

  #end(turn: TurnEvents, how: Note<"turn/completed">["params"]["turn"]): EventDraft[] {
    const drafts = turn.completion(how, this.#meter.usage);
    for (const { item, callId } of turn.calls.open) this.#leftBehind.set(item.id, callId);
    this.#endedTurns.add(turn.id);
    this.#turn = undefined;
    return drafts;
  }

  #item({ method, params }: Note<"item/started" | "item/completed">): EventDraft[] | undefined {
    const { threadId, item } = params;
    if (item.type === "collabAgentToolCall")
      for (const agent of item.receiverThreadIds) this.#children.add(agent);
    if (item.type === "subAgentActivity") this.#children.add(item.agentThreadId);
    const turn = this.#turnOf(params);
    const isStart = method === "item/started";
    if (turn) return isStart ? turn.started(item) : turn.completed(item);
    if (!isStart && this.#leftBehind.has(item.id)) return this.#late(item.id);
    if (!this.#isChild(threadId)) return undefined;
    const { data: tool } = ToolItem.safeParse(item);
    if (tool === undefined) return []; // what a sub-agent says is for the agent that asked it
    const calls = this.#turn?.calls;
    return isStart ? calls?.start(threadId, tool) : calls?.end(threadId, tool);
  }

  /** A command ends that its turn did not wait for. */
  #late(itemId: string): EventDraft[] {
    const callId = this.#leftBehind.get(itemId);
    this.#leftBehind.delete(itemId);
    const text = "a command has ended that its turn left behind";
    return [{ type: "system", subtype: "status", text, data: { callId } }];
  }

  #piece(note: Piece): EventDraft[] | undefined {
    return this.#inTurn(note.params, (turn) => turn.piece(note));
  }

  #used({ threadId, tokenUsage }: Note<"thread/tokenUsage/updated">["params"]): EventDraft[] {
    const turn = this.#turn;
    if (turn === undefined || (turn.threadId !== threadId && !this.#isChild(threadId))) {
      this.#meter.noteIdle(threadId, tokenUsage.total);
      return [];
    }
    const isNew = this.#meter.note(threadId, tokenUsage);
    return isNew && turn.threadId === threadId ? turn.settle() : [];
  }

  #failed(params: Note<"error">["params"]): EventDraft[] {
    return this.#inTurn(params, (turn) => turn.failed(params)) ?? this.#warn(params.error.message);
  }

  /** Codex repeats some of them with every turn. */
  #warn(text: string): EventDraft[] {
    if (text === this.#lastWarning || HARMLESS.test(text)) return [];
    this.#lastWarning = text;
    return [warning(text)];
  }

  /** Of what a sub-agent says nothing is told; what belongs to no turn under way is not known. */
  #inTurn(
    params: { threadId: string; turnId: string },
    tell: (turn: TurnEvents) => EventDraft[],
  ): EventDraft[] | undefined {
    const turn = this.#turnOf(params);
    if (turn) return tell(turn);
    return this.#isChild(params.threadId) ? [] : undefined;
  }

  /** The turn under way, if it is that one. One whose beginning went unseen begins with what is seen of it first. */
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

/** In which older releases told everything a second time. */
const OLD_DIALECT = "codex/event/";

/** A tool of the client's is called, which its item tells of already. */
const TOOL_CALL = "item/tool/call";

const lostTurn = {
  id: "",
  status: "failed",
  error: { message: "Codex began another turn without a word about the end of this one" },
};

/** It brings its own. */
const HARMLESS = /could not find bubblewrap on PATH/;

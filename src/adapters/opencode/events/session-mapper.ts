import { usageDraft } from "../../../adapter-kit/report-drafts.ts";
import { type EventDraft, type Mapper, raw } from "../../../contracts/event-draft.ts";
import { noUsage, totalTokens } from "../../../schema/usage/usage.ts";
import { type MessageInfo, OpenCodeEvent, type Part } from "../messages.ts";
import { failed, messageOf, usageOf } from "./completion.ts";
import { ControlMessage } from "./control-message.ts";
import { isIgnored, parentOf, sessionOf, unwrapEvent } from "./envelope.ts";
import { limitDrafts } from "./limits.ts";
import { MessageRoles } from "./message-roles.ts";
import { NativeTurn } from "./native-turn.ts";
import { type NativeRequestEvent, toRequest, toSettled } from "./requests.ts";
import { subagentEvents } from "./subagent-events.ts";

type Of<T extends OpenCodeEvent["type"]> = Extract<OpenCodeEvent, { type: T }>["properties"];

/**
 * Maps the events of one session and its subagents. OpenCode may repeat events, and a snapshot may contain events
 * that were already received. The mapper emits nothing twice.
 */
export class SessionMapper implements Mapper {
  readonly #sessionId: string;
  /** The subagents' sessions. */
  readonly #children = new Set<string>();
  readonly #roles = new MessageRoles();
  /** The ids of steps and requests that were already mapped. */
  readonly #counted = new Set<string>();
  #turn: NativeTurn | undefined;
  /** True if the last turn failed. The next error event may belong to it. */
  #hasFailed = false;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  get isTurnOpen(): boolean {
    return this.#turn !== undefined;
  }

  /** True if OpenCode reported idle before the turn was finished. `halyard.settled` then ends the turn. */
  get isHeld(): boolean {
    return this.#turn?.isHeld ?? false;
  }

  /** True if the model has started to work in the turn. */
  get hasBegun(): boolean {
    return this.#turn?.hasBegun ?? false;
  }

  /** True if a message belongs to a turn that has already ended. */
  isPast(messageId: string): boolean {
    return this.#roles.isPast(messageId);
  }

  map(native: unknown): EventDraft[] {
    const event = unwrapEvent(native);
    const parsed = OpenCodeEvent.safeParse(event);
    if (!parsed.success) return this.#unknown(event, native);
    const sessionId = sessionOf(event);
    if (sessionId === undefined) return sessionlessEvent(parsed.data);
    const parent = parentOf(event);
    if (parent !== undefined && this.#isKnownSession(parent)) this.#children.add(sessionId);
    if (!this.#isKnownSession(sessionId)) return [];
    const isOwn = sessionId === this.#sessionId;
    return isOwn ? this.#own(parsed.data, native) : this.#subagent(parsed.data);
  }

  flush(): EventDraft[] {
    return this.isHeld ? this.#complete() : [];
  }

  #unknown(event: unknown, native: unknown): EventDraft[] {
    const control = ControlMessage.safeParse(event);
    if (control.success) return this.#control(control.data);
    return isIgnored(event) ? [] : [raw(native)];
  }

  #isKnownSession(sessionId: string): boolean {
    return sessionId === this.#sessionId || this.#children.has(sessionId);
  }

  #own(event: OpenCodeEvent, native: unknown): EventDraft[] {
    switch (event.type) {
      case "message.updated":
        return this.#message(event.properties.info);
      case "message.part.updated":
        return this.#part(event.properties, native);
      case "message.part.delta":
        return this.#delta(event.properties, native);
      case "session.status":
        return this.#status(event.properties.status);
      case "session.idle":
        return this.#idle();
      case "session.error":
        return this.#error(event.properties);
      case "session.compacted":
        return this.#turn ? [{ type: "system", subtype: "compaction" }] : [];
      case "todo.updated":
        return [{ type: "system", subtype: "plan", data: { todos: event.properties.todos } }];
      case "permission.asked":
      case "permission.updated":
      case "question.asked":
        return this.#turn ? this.#request(this.#turn, event) : [raw(native)];
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        return toSettled(event);
      case "session.created":
      case "session.updated":
        return [];
    }
  }

  #subagent(event: OpenCodeEvent): EventDraft[] {
    if (this.#turn === undefined) return [];
    return subagentEvents(event, this.#turn, (id) => this.#isFirst(id));
  }

  #message(info: MessageInfo): EventDraft[] {
    const { id, role } = info;
    if (this.#roles.isPast(id)) return [];
    const isNew = !this.#roles.isKnown(id);
    this.#roles.add(info);
    if (role === "user") return isNew ? this.#begin(id) : [];
    const turn = this.#openTurn();
    turn.updateAnswer(info);
    const compaction: EventDraft = { type: "system", subtype: "compaction" };
    return [
      ...(isNew && this.#roles.isSummary(id) ? [compaction] : []),
      ...this.#roles.takeWaiting(id).flatMap((part) => this.#mapPart(turn, part)),
    ];
  }

  /** Maps a user message. The message starts a turn, unless it was added to the current turn. */
  #begin(id: string): EventDraft[] {
    const drafts = this.isHeld && this.#turn?.expected === 0 ? this.#complete() : [];
    this.#openTurn().addUserMessage(id);
    this.#roles.takeWaiting(id);
    return drafts;
  }

  #part({ part, delta }: Of<"message.part.updated">, native: unknown): EventDraft[] {
    if (this.#roles.isPast(part.messageID)) return [raw(native)];
    if (this.#roles.roleOf(part, delta) !== "assistant") return [];
    const isKnown = this.#roles.isKnown(part.messageID);
    const before = isKnown ? [] : this.#message({ id: part.messageID, role: "assistant" });
    return [...before, ...this.#mapPart(this.#openTurn(), part)];
  }

  #mapPart(turn: NativeTurn, part: Part): EventDraft[] {
    switch (part.type) {
      case "text":
      case "reasoning":
        if (part.synthetic || part.ignored || this.#roles.isSummary(part.messageID)) return [];
        return turn.texts.update(part);
      case "tool": {
        this.#addSubagent(part);
        const before = turn.tools.has(part.id) ? [] : turn.texts.closeBefore(part.messageID);
        return [...before, ...turn.tools.update(part)];
      }
      case "step-start":
        return this.#isFirst(part.id) ? [step({ state: "started" })] : [];
      case "step-finish": {
        if (!this.#isFirst(part.id)) return [];
        turn.endStep(part);
        const { reason } = part;
        const finished = step({ state: "finished", ...(reason !== undefined && { reason }) });
        return totalTokens(usageOf(part)) > 0 ? [finished, usageDraft(turn.usage)] : [finished];
      }
      default:
        return []; // snapshot, patch, file, agent, retry and others: not needed, or reported by other events
    }
  }

  /** Records the session of the subagent that a task tool started. */
  #addSubagent({ state }: Part): void {
    const child = state?.metadata?.sessionId;
    if (typeof child === "string") this.#children.add(child);
  }

  #isFirst(id: string): boolean {
    if (this.#counted.has(id)) return false;
    this.#counted.add(id);
    return true;
  }

  #delta(properties: Of<"message.part.delta">, native: unknown): EventDraft[] {
    const { messageID, partID, field, delta } = properties;
    if (this.#roles.isPast(messageID)) return [raw(native)];
    if (field !== "text" || this.#roles.isFromUser(messageID)) return [];
    if (this.#roles.isSummary(messageID)) return [];
    return this.#openTurn().texts.delta(partID, messageID, delta);
  }

  #status(status: Of<"session.status">["status"]): EventDraft[] {
    const turn = this.#turn;
    switch (status.type) {
      case "idle":
        return this.#idle();
      case "busy":
        turn?.setBusy();
        return [];
      case "retry": {
        if (turn === undefined) return [];
        turn.texts.discardOpen();
        const { message: text = "", attempt } = status;
        return [
          { type: "system", subtype: "retry", text, data: { attempt } },
          ...limitDrafts(status),
        ];
      }
    }
  }

  #idle(): EventDraft[] {
    const turn = this.#turn;
    if (turn === undefined) return [];
    if (!turn.isUnfinished) return this.#complete();
    turn.isHeld = true;
    return [];
  }

  /**
   * Records the turn's error. Ends the turn immediately if the model has not started to work. If no turn is open, the
   * error becomes a separate failed turn, unless the previous turn failed.
   */
  #error({ error = { name: "an unknown error" } }: Of<"session.error">): EventDraft[] {
    const turn = this.#turn;
    if (turn === undefined) {
      if (this.#hasFailed) return [];
      this.#hasFailed = true;
      return [failed(error, noUsage)];
    }
    turn.fail(error);
    return turn.hasBegun ? [] : this.#complete();
  }

  #request(turn: NativeTurn, asked: NativeRequestEvent): EventDraft[] {
    return this.#isFirst(asked.properties.id) ? [toRequest(asked, turn.tools)] : [];
  }

  #control(message: ControlMessage): EventDraft[] {
    const turn = this.#turn;
    if (turn === undefined) return [];
    switch (message.type) {
      case "halyard.sent":
        return [];
      case "halyard.settled":
        return turn.isHeld ? this.#complete() : [];
      case "halyard.cancelled":
        turn.isCancelled = true;
        return [];
      case "halyard.given-up":
        turn.givenUp ??= message.reason;
        return [];
      case "halyard.steered":
        turn.expected++;
        return [];
      case "halyard.gap":
        turn.texts.markGap();
        return [];
      case "halyard.gone":
        return this.#end(turn, turn.concludeExited(message.reason));
    }
  }

  #openTurn(): NativeTurn {
    this.#turn ??= new NativeTurn();
    this.#hasFailed = false;
    return this.#turn;
  }

  #complete(): EventDraft[] {
    return this.#turn === undefined ? [] : this.#end(this.#turn, this.#turn.conclude());
  }

  #end(turn: NativeTurn, completion: Extract<EventDraft, { type: "completion" }>): EventDraft[] {
    this.#roles.close(turn.messages);
    this.#turn = undefined;
    this.#hasFailed = completion.status === "failed";
    return [completion];
  }
}

/** Returns a step's draft. OpenCode runs one step per model call. */
function step(data: Record<string, string>): EventDraft {
  return { type: "system", subtype: "step", data };
}

/** Maps an event without a session. Only errors are mapped, as warnings. */
function sessionlessEvent(event: OpenCodeEvent): EventDraft[] {
  if (event.type !== "session.error" || event.properties.error === undefined) return [];
  return [{ type: "system", subtype: "warning", text: messageOf(event.properties.error) }];
}

import { type EventDraft, type Mapper, raw } from "../../core/draft.ts";
import { noUsage } from "../../core/usage.ts";
import { failed, messageOf } from "./completion.ts";
import { isNoise, parentOf, sessionOf, unwrapEvent } from "./envelope.ts";
import { type MessageInfo, OpenCodeEvent, type Part } from "./messages.ts";
import { NativeTurn } from "./native-turn.ts";
import { OurMessage } from "./our-messages.ts";
import { Placement } from "./placement.ts";
import { type Asked, toRequest, toSettled } from "./requests.ts";

type Of<T extends OpenCodeEvent["type"]> = Extract<OpenCodeEvent, { type: T }>["properties"];

/**
 * The events of one session, and of those its subagents work in, in our words. Everything may come twice, and what
 * was missed may come later in full: nothing is told twice for that.
 */
export class SessionMapper implements Mapper {
  readonly #sessionId: string;
  /** Subagents tell of the tools they use, what they ask and what they cost; what they say is in their task's result. */
  readonly #children = new Set<string>();
  readonly #placement = new Placement();
  /** What was counted or asked already. */
  readonly #counted = new Set<string>();
  #turn: NativeTurn | undefined;
  /** The last turn failed, and what follows it may still be about that. */
  #hasFailed = false;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  get isTurnOpen(): boolean {
    return this.#turn !== undefined;
  }

  /** An end that may yet prove to be none: `halyard.settled` makes it one. */
  get isHeld(): boolean {
    return this.#turn?.isHeld ?? false;
  }

  /** Whether the model has been at work in the turn. */
  get hasBegun(): boolean {
    return this.#turn?.hasBegun ?? false;
  }

  /** Whether a message belongs to a turn that has ended. */
  isPast(messageId: string): boolean {
    return this.#placement.isPast(messageId);
  }

  map(native: unknown): EventDraft[] {
    const event = unwrapEvent(native);
    const parsed = OpenCodeEvent.safeParse(event);
    if (!parsed.success) return this.#unknown(event, native);
    const sessionId = sessionOf(event);
    if (sessionId === undefined) return aboutNobody(parsed.data);
    const parent = parentOf(event);
    if (parent !== undefined && this.#isOurs(parent)) this.#children.add(sessionId);
    if (!this.#isOurs(sessionId)) return [];
    const isOwn = sessionId === this.#sessionId;
    return isOwn ? this.#own(parsed.data, native) : this.#childs(parsed.data);
  }

  flush(): EventDraft[] {
    return this.isHeld ? this.#complete() : [];
  }

  #unknown(event: unknown, native: unknown): EventDraft[] {
    const ours = OurMessage.safeParse(event);
    if (ours.success) return this.#ours(ours.data);
    return isNoise(event) ? [] : [raw(native)];
  }

  #isOurs(sessionId: string): boolean {
    return sessionId === this.#sessionId || this.#children.has(sessionId);
  }

  #own(event: OpenCodeEvent, native: unknown): EventDraft[] {
    switch (event.type) {
      case "message.updated":
        return this.#message(event.properties.info);
      case "message.part.updated":
        return this.#part(event.properties, native);
      case "message.part.delta":
        return this.#piece(event.properties, native);
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
        return this.#turn ? this.#asked(this.#turn, event) : [raw(native)];
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        return toSettled(event);
      case "session.created":
      case "session.updated":
        return [];
    }
  }

  #childs(event: OpenCodeEvent): EventDraft[] {
    const turn = this.#turn;
    if (turn === undefined) return [];
    switch (event.type) {
      case "message.part.updated": {
        const { part } = event.properties;
        if (part.type === "step-finish" && this.#isFirst(part.id)) turn.spend(part);
        return part.type === "tool" ? turn.tools.update(part) : [];
      }
      case "session.status": {
        const { status } = event.properties;
        if (status.type !== "retry") return [];
        const text = `a subagent tries again: ${status.message ?? ""}`;
        return [{ type: "system", subtype: "status", text }];
      }
      case "permission.asked":
      case "permission.updated":
      case "question.asked":
        return this.#asked(turn, event);
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        return toSettled(event);
      default:
        return [];
    }
  }

  #message(info: MessageInfo): EventDraft[] {
    const { id, role } = info;
    if (this.#placement.isPast(id)) return [];
    const isNew = !this.#placement.isKnown(id);
    this.#placement.note(info);
    if (role === "user") return isNew ? this.#begin(id) : [];
    const turn = this.#openTurn();
    turn.answer(info);
    const compaction: EventDraft = { type: "system", subtype: "compaction" };
    return [
      ...(isNew && this.#placement.isSummary(id) ? [compaction] : []),
      ...this.#placement.taken(id).flatMap((part) => this.#tell(turn, part)),
    ];
  }

  /** A message of the user's begins a turn, unless it was sent into the one under way. */
  #begin(id: string): EventDraft[] {
    const drafts = this.isHeld && this.#turn?.expected === 0 ? this.#complete() : [];
    this.#openTurn().ask(id);
    this.#placement.taken(id);
    return drafts;
  }

  #part({ part, delta }: Of<"message.part.updated">, native: unknown): EventDraft[] {
    if (this.#placement.isPast(part.messageID)) return [raw(native)];
    if (this.#placement.roleOf(part, delta) !== "assistant") return [];
    const isKnown = this.#placement.isKnown(part.messageID);
    const before = isKnown ? [] : this.#message({ id: part.messageID, role: "assistant" });
    return [...before, ...this.#tell(this.#openTurn(), part)];
  }

  #tell(turn: NativeTurn, part: Part): EventDraft[] {
    switch (part.type) {
      case "text":
      case "reasoning":
        if (part.synthetic || part.ignored || this.#placement.isSummary(part.messageID)) return [];
        return turn.texts.update(part);
      case "tool": {
        this.#adopt(part);
        const before = turn.tools.has(part.id) ? [] : turn.texts.closeBefore(part.messageID);
        return [...before, ...turn.tools.update(part)];
      }
      case "step-start":
        return this.#isFirst(part.id) ? [step({ state: "started" })] : [];
      case "step-finish": {
        if (!this.#isFirst(part.id)) return [];
        turn.endStep(part);
        const { reason } = part;
        return [step({ state: "finished", ...(reason !== undefined && { reason }) })];
      }
      default:
        return []; // snapshot, patch, file, agent, retry …: reported otherwise, or not needed
    }
  }

  /** The session that a task is done in. */
  #adopt({ state }: Part): void {
    const child = state?.metadata?.sessionId;
    if (typeof child === "string") this.#children.add(child);
  }

  #isFirst(id: string): boolean {
    if (this.#counted.has(id)) return false;
    this.#counted.add(id);
    return true;
  }

  #piece(piece: Of<"message.part.delta">, native: unknown): EventDraft[] {
    const { messageID, partID, field, delta } = piece;
    if (this.#placement.isPast(messageID)) return [raw(native)];
    if (field !== "text" || this.#placement.isUsers(messageID)) return [];
    if (this.#placement.isSummary(messageID)) return [];
    return this.#openTurn().texts.piece(partID, messageID, delta);
  }

  #status(status: Of<"session.status">["status"]): EventDraft[] {
    const turn = this.#turn;
    switch (status.type) {
      case "idle":
        return this.#idle();
      case "busy":
        turn?.work();
        return [];
      case "retry": {
        if (turn === undefined) return [];
        turn.texts.giveUp();
        const { message: text = "", attempt } = status;
        return [{ type: "system", subtype: "retry", text, data: { attempt } }];
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

  /** One that comes before anything else is all that there is of a turn. */
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

  #asked(turn: NativeTurn, asked: Asked): EventDraft[] {
    return this.#isFirst(asked.properties.id) ? [toRequest(asked, turn.tools)] : [];
  }

  #ours(message: OurMessage): EventDraft[] {
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
        turn.texts.missSome();
        return [];
      case "halyard.gone":
        return this.#end(turn, turn.breakOff(message.reason));
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
    this.#placement.close(turn.messages);
    this.#turn = undefined;
    this.#hasFailed = completion.status === "failed";
    return [completion];
  }
}

/** OpenCode runs one step for each call of the model. */
function step(data: Record<string, string>): EventDraft {
  return { type: "system", subtype: "step", data };
}

function aboutNobody(event: OpenCodeEvent): EventDraft[] {
  if (event.type !== "session.error" || event.properties.error === undefined) return [];
  return [{ type: "system", subtype: "warning", text: messageOf(event.properties.error) }];
}

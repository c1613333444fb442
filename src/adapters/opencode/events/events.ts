import type { EventDraft, Mapper } from "../../../contracts/event-draft.ts";
import { errorInfo } from "../../../errors/error.ts";
import { parentOf, sessionOf, unwrapEvent } from "./envelope.ts";
import { eventsOfRunOutput } from "./run-output.ts";
import { SessionMapper } from "./session-mapper.ts";

/** Creates a mapper for native logs, which may contain several sessions or the output of `opencode run`. */
export function createMapper(): Mapper {
  return new RecordingMapper();
}

/** Emits the turns of concurrent sessions one at a time. */
class RecordingMapper implements Mapper {
  readonly #mappers = new Map<string, SessionMapper>();
  /** The root session of each subagent's session. */
  readonly #roots = new Map<string, string>();
  /** Drafts of sessions that wait for the end of another session's turn. */
  readonly #waiting = new Map<string, EventDraft[]>();
  readonly #sessionless = new SessionMapper("");
  #active: string | undefined;

  map(native: unknown): EventDraft[] {
    const events = eventsOfRunOutput(native);
    return events === undefined
      ? this.#route(native)
      : events.flatMap((event) => this.#route(event));
  }

  flush(): EventDraft[] {
    const drafts: EventDraft[] = [];
    for (const [root, mapper] of this.#mappers) drafts.push(...this.#emit(root, mapper.flush()));
    while (this.#active !== undefined && this.#waiting.size > 0) {
      drafts.push(truncated);
      this.#active = undefined;
      drafts.push(...this.#emitWaiting());
    }
    return drafts;
  }

  #route(native: unknown): EventDraft[] {
    const event = unwrapEvent(native);
    const sessionId = sessionOf(event);
    if (sessionId === undefined) return this.#sessionless.map(native);
    const parent = parentOf(event);
    if (parent !== undefined) this.#roots.set(sessionId, this.#roots.get(parent) ?? parent);
    const root = this.#roots.get(sessionId) ?? sessionId;
    return this.#emit(root, this.#mapper(root).map(native));
  }

  #mapper(root: string): SessionMapper {
    const mapper = this.#mappers.get(root) ?? new SessionMapper(root);
    this.#mappers.set(root, mapper);
    return mapper;
  }

  #emit(root: string, drafts: readonly EventDraft[]): EventDraft[] {
    if (this.#active !== undefined && this.#active !== root) {
      if (drafts.length > 0)
        this.#waiting.set(root, [...(this.#waiting.get(root) ?? []), ...drafts]);
      return [];
    }
    this.#active = this.#mapper(root).isTurnOpen ? root : undefined;
    return [...drafts, ...this.#emitWaiting()];
  }

  /** Emits waiting drafts until a session has an open turn. */
  #emitWaiting(): EventDraft[] {
    const drafts: EventDraft[] = [];
    for (const [root, waiting] of this.#waiting) {
      if (this.#active !== undefined) break;
      this.#waiting.delete(root);
      drafts.push(...waiting);
      if (this.#mapper(root).isTurnOpen) this.#active = root;
    }
    return drafts;
  }
}

const truncated: EventDraft = {
  type: "completion",
  status: "failed",
  error: errorInfo(
    "agent_exited",
    "The native log ends before the end of the turn. Record a log that contains the whole turn.",
  ),
};

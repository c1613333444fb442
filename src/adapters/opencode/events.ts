import type { EventDraft, Mapper } from "../../core/draft.ts";
import { errorInfo } from "../../core/error.ts";
import { parentOf, sessionOf, unwrapEvent } from "./envelope.ts";
import { eventsOfRunLine } from "./run-line.ts";
import { SessionMapper } from "./session-mapper.ts";

/** For recordings, which may hold the events of several sessions: of one directory, of all, or of `opencode run`. */
export function createMapper(): Mapper {
  return new RecordingMapper();
}

/** Lets sessions that talk at the same time finish their turns one after the other. */
class RecordingMapper implements Mapper {
  readonly #mappers = new Map<string, SessionMapper>();
  /** The session that a subagent's session belongs to. */
  readonly #roots = new Map<string, string>();
  /** What sessions said while another one had the word. */
  readonly #waiting = new Map<string, EventDraft[]>();
  readonly #nobody = new SessionMapper("");
  #speaker: string | undefined;

  map(native: unknown): EventDraft[] {
    const events = eventsOfRunLine(native);
    return events === undefined
      ? this.#route(native)
      : events.flatMap((event) => this.#route(event));
  }

  flush(): EventDraft[] {
    const drafts: EventDraft[] = [];
    for (const [root, mapper] of this.#mappers) drafts.push(...this.#say(root, mapper.flush()));
    while (this.#speaker !== undefined && this.#waiting.size > 0) {
      drafts.push(cutShort);
      this.#speaker = undefined;
      drafts.push(...this.#passOn());
    }
    return drafts;
  }

  #route(native: unknown): EventDraft[] {
    const event = unwrapEvent(native);
    const sessionId = sessionOf(event);
    if (sessionId === undefined) return this.#nobody.map(native);
    const parent = parentOf(event);
    if (parent !== undefined) this.#roots.set(sessionId, this.#roots.get(parent) ?? parent);
    const root = this.#roots.get(sessionId) ?? sessionId;
    return this.#say(root, this.#mapper(root).map(native));
  }

  #mapper(root: string): SessionMapper {
    const mapper = this.#mappers.get(root) ?? new SessionMapper(root);
    this.#mappers.set(root, mapper);
    return mapper;
  }

  #say(root: string, drafts: readonly EventDraft[]): EventDraft[] {
    if (this.#speaker !== undefined && this.#speaker !== root) {
      if (drafts.length > 0)
        this.#waiting.set(root, [...(this.#waiting.get(root) ?? []), ...drafts]);
      return [];
    }
    this.#speaker = this.#mapper(root).isTurnOpen ? root : undefined;
    return [...drafts, ...this.#passOn()];
  }

  /** Whoever waits has the word, up to the first whose turn goes on. */
  #passOn(): EventDraft[] {
    const drafts: EventDraft[] = [];
    for (const [root, said] of this.#waiting) {
      if (this.#speaker !== undefined) break;
      this.#waiting.delete(root);
      drafts.push(...said);
      if (this.#mapper(root).isTurnOpen) this.#speaker = root;
    }
    return drafts;
  }
}

const cutShort: EventDraft = {
  type: "completion",
  status: "failed",
  error: errorInfo("agent_exited", "the recording ends before the turn does"),
};

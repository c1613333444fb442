import { project } from "../../log/projection.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { activityAfter, activityOf, type SessionActivity } from "./activity.ts";
import { createSource, type Source } from "./source.ts";

/** A session on the board. A changed entry is a new object. */
export interface Entry {
  readonly info: SessionInfo;
  readonly activity: SessionActivity;
}

/**
 * `needs` if a request waits for the user's answer, `working` if the session is starting or has an open turn, otherwise
 * `done`.
 */
export type Group = "needs" | "working" | "done";

/** All sessions that the page knows. Events keep them up to date. */
export class Board {
  /** The entries by session id. Each change sets a new map. */
  readonly entries: Source<ReadonlyMap<string, Entry>> = createSource(new Map());

  /** Adds or updates sessions that the server returned. Keeps an entry that is newer than the server's response. */
  adopt(infos: readonly SessionInfo[]): void {
    const entries = new Map(this.entries.get());
    for (const info of infos) {
      const known = entries.get(info.id);
      if (known && known.info.lastSeq > info.lastSeq) continue;
      const activity = known?.info.lastSeq === info.lastSeq ? known.activity : activityOf(info);
      entries.set(info.id, { info, activity });
    }
    this.entries.set(entries);
  }

  /** Applies events and returns the ids of sessions that are not on the board yet. */
  apply(events: readonly StreamEvent[]): string[] {
    const entries = new Map(this.entries.get());
    const unknown = new Set<string>();
    for (const event of events) {
      const entry = entries.get(event.sessionId);
      if (!entry) unknown.add(event.sessionId);
      else if (event.seq > entry.info.lastSeq)
        entries.set(event.sessionId, afterEvent(entry, event));
    }
    this.entries.set(entries);
    return [...unknown];
  }

  /** Sets a session's activity from its last events, in log order. Has no effect if newer events have arrived. */
  recall(id: string, events: readonly StreamEvent[]): void {
    const entry = this.entries.get().get(id);
    if (!entry || events.at(-1)?.seq !== entry.info.lastSeq) return;
    let activity: SessionActivity | undefined;
    for (const event of events) activity = activityAfter(event, activity) ?? activity;
    if (activity) this.entries.set(new Map(this.entries.get()).set(id, { ...entry, activity }));
  }

  remove(id: string): void {
    const entries = new Map(this.entries.get());
    entries.delete(id);
    this.entries.set(entries);
  }
}

/** Returns a session's group. An open request takes precedence over the state. */
export function groupOf(info: SessionInfo): Group {
  const { state } = info;
  if (info.openRequests.length > 0) return "needs";
  if (state === "starting" || state === "running" || state === "waiting") return "working";
  return state === "idle" && openTurnOf(info) !== undefined ? "working" : "done";
}

/** Returns a session's display name. */
export function titleOf(info: SessionInfo): string {
  return info.name ?? info.about ?? info.cwd.split("/").at(-1) ?? info.id;
}

function afterEvent({ info, activity }: Entry, event: StreamEvent): Entry {
  const { seq, at, turnId, sessionId, runtime, raw, ...body } = event;
  return {
    info: project({ ...info, lastSeq: seq - 1 }, [body], { at, turnId }),
    activity: activityAfter(event, activity) ?? activity,
  };
}

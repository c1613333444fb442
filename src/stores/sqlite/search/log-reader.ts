import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { StoredEvent } from "../../../contracts/store.ts";
import type { SessionId } from "../../../schema/id.ts";
import { searchableTypes } from "../../search/searchable-text.ts";
import { LAST_POSITION } from "../blocks.ts";
import type { SessionFacets } from "./facets.ts";

/** A block of the log, in the form that the index reads. */
export interface IndexedBlock {
  /** The position of the block's last event. */
  readonly position: number;
  readonly session: SessionId;
  readonly at: string;
  /** The events as JSON. Null if no event has searchable text. */
  readonly body: string | null;
}

/** Reads the log for the index. */
export class LogReader {
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(database: DatabaseSyncInstance) {
    this.#statements = prepareStatements(database);
  }

  /** Yields the blocks after a position, in order. */
  blocksAfter(position: number): Iterable<IndexedBlock> {
    return this.#statements.blocks.iterate(position);
  }

  /** Returns the session and the time of the event at this position, or undefined if it was removed. */
  find(position: number): Pick<IndexedBlock, "session" | "at"> | undefined {
    const row: (Pick<IndexedBlock, "session" | "at"> & { isWithin: number }) | undefined =
      this.#statements.find.get({ position });
    return row?.isWithin ? row : undefined;
  }

  /** Returns the fields of a session for filters, or undefined if the session was removed. */
  facetsOf(id: SessionId): SessionFacets | undefined {
    return this.#statements.facets.get(id);
  }

  /** Returns the last position that was ever assigned to an event. */
  lastTaken(): number {
    const { last }: { last: number } = this.#statements.lastTaken.get();
    return last;
  }

  /** Returns the position of the last event, or 0 if there is none. */
  lastPosition(): number {
    const { last }: { last: number } = this.#statements.last.get();
    return last;
  }

  sessionIds(): SessionId[] {
    const rows: { id: SessionId }[] = this.#statements.sessions.all();
    return rows.map(({ id }) => id);
  }
}

/** Returns the events of a block with their positions. */
export function eventsOf({
  body,
  position,
}: IndexedBlock): { readonly position: number; readonly event: StoredEvent }[] {
  if (body === null) return [];
  const events: StoredEvent[] = JSON.parse(body);
  const first = position - events.length + 1;
  return events.map((event, index) => ({ position: first + index, event }));
}

const isSearchable = searchableTypes.map((type) => `instr(body, '${type}') > 0`).join(" OR ");

function prepareStatements(database: DatabaseSyncInstance) {
  const withSession = "FROM blocks JOIN sessions ON key = session";
  return {
    blocks: database.prepare(`
      SELECT position, id AS session, at,
        CASE WHEN ${isSearchable} THEN body END AS body
      ${withSession} WHERE position > ? ORDER BY position
    `),
    find: database.prepare(`
      SELECT id AS session, at, position - (blocks.last_seq - first_seq) <= :position AS isWithin
      ${withSession} WHERE position >= :position ORDER BY position LIMIT 1
    `),
    last: database.prepare("SELECT coalesce(max(position), 0) AS last FROM blocks"),
    lastTaken: database.prepare(`SELECT ${LAST_POSITION} AS last`),
    sessions: database.prepare("SELECT id FROM sessions"),
    facets: database.prepare(`
      SELECT id, runtime, cwd, json_extract(info, '$.project') AS project FROM sessions WHERE id = ?
    `),
  };
}

import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { ProcessIdentity } from "../../contracts/host.ts";
import type { Block, SessionFilter, SessionRecord } from "../../contracts/store.ts";
import type { SessionId } from "../../schema/id.ts";
import type { SessionState } from "../../schema/session/session-state.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { refusals } from "../refusals.ts";
import { LAST_SEQ } from "./blocks.ts";

interface RecordRow {
  readonly info: string;
  readonly owner: string | null;
  readonly cursor: number;
  readonly turnCursor: number;
  /** The last `seq` of the log, if blocks were written after the row was updated. */
  readonly lastSeq: number | null;
  readonly updatedAt: string | null;
}

/**
 * The right to write to a session until another process claims it. The key of a removed session may be reused after its
 * blocks are deleted.
 */
export interface Claim {
  readonly id: SessionId;
  readonly key: number;
  readonly epoch: number;
}

interface Advance {
  /** The session's state after the block, as JSON. */
  readonly info: string;
  readonly isSameState: boolean;
}

interface WriterRow {
  readonly owner: string | null;
  readonly epoch: number;
  readonly lastSeq: number;
}

/** The table of sessions, with their writers and their progress. */
export class SessionTable {
  readonly #database: DatabaseSyncInstance;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    this.#statements = prepareStatements(database);
  }

  insert(info: SessionInfo, owner: ProcessIdentity): Claim {
    const { id, runtime, cwd, createdAt, state } = info;
    const values = [id, runtime, cwd, createdAt, state, toText(owner), JSON.stringify(info)];
    const claim: Claim | undefined = this.#statements.insert.get(...values);
    if (claim === undefined) throw refusals.exists(id);
    return claim;
  }

  claim(id: SessionId, owner: ProcessIdentity, replacing: ProcessIdentity | null): Claim {
    const claim: Claim | undefined = this.#statements.claim.get(
      toText(owner),
      id,
      replacing && toText(replacing),
    );
    if (claim !== undefined) return claim;
    const current = this.#writerOf(id);
    if (current === undefined) throw refusals.notFound(id);
    throw refusals.owned(id, fromText(current.owner));
  }

  /** Updates a session's row for a block. Returns false if the claim is not valid, or if the block does not follow the log. */
  advance({ id, key, epoch }: Claim, block: Block, { info, isSameState }: Advance): boolean {
    const { firstSeq, events, cursor = null, turnCursor = null } = block;
    const lastSeq = firstSeq + events.length - 1;
    const values = [key, id, epoch, firstSeq - 1, info, lastSeq, turnCursor, cursor];
    const { advance, advanceTo } = this.#statements;
    const { changes } = isSameState
      ? advance.run(...values)
      : advanceTo.run(...values, block.info.state);
    return changes === 1;
  }

  /** Returns the error that explains why the writer with this claim may not append this block. */
  refusal({ id, epoch }: Claim, firstSeq: number): Error {
    const current = this.#writerOf(id);
    if (current === undefined) return refusals.notFound(id);
    if (current.epoch !== epoch || current.owner === null)
      return refusals.owned(id, fromText(current.owner));
    return refusals.gap(id, current.lastSeq, firstSeq);
  }

  release({ id, epoch }: Claim): void {
    this.#statements.release.run(id, epoch);
  }

  keyOf(id: SessionId): { readonly key: number; readonly runtime: string } | undefined {
    return this.#statements.key.get(id);
  }

  find(id: SessionId): SessionRecord | undefined {
    const row: RecordRow | undefined = this.#statements.find.get(id);
    return row && toRecord(row);
  }

  list(filter: SessionFilter): SessionRecord[] {
    const { states, labels = {}, updatedBefore, limit = -1, offset = 0 } = filter;
    const conditions = ["TRUE"];
    const values: string[] = [];
    if (states !== undefined) {
      conditions.push(`state IN (${states.map(() => "?").join()})`);
      values.push(...states);
    }
    for (const [key, column] of filterColumns) {
      const wanted = filter[key];
      if (wanted === undefined) continue;
      conditions.push(`${column} = ?`);
      values.push(wanted);
    }
    if (updatedBefore !== undefined) {
      conditions.push("coalesce(last.at, json_extract(info, '$.updatedAt')) < ?");
      values.push(updatedBefore);
    }
    for (const label of Object.entries(labels)) {
      conditions.push(hasLabel);
      values.push(...label);
    }
    const rows: RecordRow[] = this.#database
      .prepare(
        `${selectRecord} WHERE ${conditions.join(" AND ")} ORDER BY created_at DESC, key DESC LIMIT ? OFFSET ?`,
      )
      .all(...values, limit, offset);
    return rows.map(toRecord);
  }

  countStates(): ReadonlyMap<SessionState, number> {
    const rows: { state: SessionState; count: number }[] = this.#statements.countStates.all();
    return new Map(rows.map(({ state, count }) => [state, count]));
  }

  #writerOf(id: SessionId): WriterRow | undefined {
    return this.#statements.writer.get(id);
  }
}

/** Columns to filter by. Rarely used fields have no column, because every block would have to update the column. */
const filterColumns = [
  ["runtime", "runtime"],
  ["cwd", "cwd"],
  ["project", "json_extract(info, '$.project')"],
  ["parent", "json_extract(info, '$.parent')"],
  ["runtimeSessionId", "json_extract(info, '$.runtimeSessionId')"],
] as const;

/**
 * Matches a session with a label. Compares the label's name as a value, because a name with special characters would
 * break a JSON path.
 */
const hasLabel = `
  EXISTS (
    SELECT 1 FROM json_each(info, '$.labels') AS label WHERE label.key = ? AND label.value = ?
  )
`;

/**
 * Selects sessions with their last block. Only a running session may have blocks newer than its row, so listing
 * sessions reads few logs.
 */
const selectRecord = `
  SELECT info, owner, turn_cursor AS turnCursor, coalesce(last.cursor, sessions.cursor) AS cursor,
    last.last_seq AS lastSeq, last.at AS updatedAt
  FROM sessions LEFT JOIN blocks AS last
    ON state = 'running' AND session = key
      AND last.last_seq > sessions.last_seq AND last.last_seq = ${LAST_SEQ}
`;

/** An unused key: no session and no block of a removed session has it. */
const NEW_KEY = `
  1 + max(
    coalesce((SELECT max(key) FROM sessions), 0), coalesce((SELECT max(key) FROM removals), 0)
  )
`;

function prepareStatements(database: DatabaseSyncInstance) {
  return {
    insert: database.prepare(`
      INSERT INTO sessions (key, id, runtime, cwd, created_at, state, owner, info, epoch, last_seq, cursor, turn_cursor)
      VALUES (${NEW_KEY}, ?, ?, ?, ?, ?, ?, ?, 1, 0, 0, 0) ON CONFLICT (id) DO NOTHING RETURNING id, key, epoch
    `),
    claim: database.prepare(`
      UPDATE sessions SET owner = ?, epoch = epoch + 1 WHERE id = ? AND owner IS ? RETURNING id, key, epoch
    `),
    advance: database.prepare(advanceWith("")),
    // A separate statement, so that the index by state is updated only when the state changes.
    advanceTo: database.prepare(advanceWith(", state = ?9")),
    release: database.prepare("UPDATE sessions SET owner = NULL WHERE id = ? AND epoch = ?"),
    key: database.prepare("SELECT key, runtime FROM sessions WHERE id = ?"),
    find: database.prepare(`${selectRecord} WHERE id = ?`),
    countStates: database.prepare("SELECT state, count(*) AS count FROM sessions GROUP BY state"),
    writer: database.prepare(
      `SELECT owner, epoch, ${LAST_SEQ} AS lastSeq FROM sessions WHERE id = ?`,
    ),
  };
}

function advanceWith(more: string): string {
  return `
    UPDATE sessions
    SET info = ?5, last_seq = ?6, turn_cursor = coalesce(?7, turn_cursor),
      cursor = coalesce(?8, (
        SELECT cursor FROM blocks WHERE session = key AND blocks.last_seq > sessions.last_seq
        ORDER BY blocks.last_seq DESC LIMIT 1
      ), cursor)${more}
    WHERE key = ?1 AND id = ?2 AND epoch = ?3 AND owner IS NOT NULL AND ${LAST_SEQ} = ?4
  `;
}

function toRecord(row: RecordRow): SessionRecord {
  const { cursor, turnCursor, lastSeq, updatedAt } = row;
  const info: SessionInfo = JSON.parse(row.info);
  const moved = lastSeq !== null && updatedAt !== null && { lastSeq, updatedAt };
  return { info: { ...info, ...moved }, owner: fromText(row.owner), cursor, turnCursor };
}

/** Serializes an identity in a fixed key order, so that the same process always has the same text. */
function toText({ pid, startTime, bootId }: ProcessIdentity): string {
  return JSON.stringify({ pid, startTime, bootId });
}

function fromText(owner: string | null): ProcessIdentity | null {
  return owner === null ? null : JSON.parse(owner);
}

import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { PositionedEvent, ReadBeforeOptions, ReadOptions } from "../../contracts/store.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { SessionId } from "../../schema/id.ts";
import { type BlockRow, DamagedBlockError, toEvents, toEventsBefore } from "../block-row.ts";
import type { Claim } from "./sessions.ts";

interface PositionedRow extends BlockRow {
  /** The position of the block's last event. */
  readonly position: number;
  readonly id: SessionId;
  readonly runtime: string;
}

/** The table of blocks: the events of all sessions, in the order in which they were written. */
export class BlockTable {
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(database: DatabaseSyncInstance) {
    this.#statements = prepareStatements(database);
  }

  insert({ key }: Claim, { firstSeq, lastSeq, at, turnId, body }: BlockRow): void {
    const count = lastSeq - firstSeq + 1;
    this.#statements.insert.run(count, key, firstSeq, lastSeq, at, turnId, body);
  }

  /** Inserts the next row of a session. Returns false if the claim is not valid, or if the row does not follow the log. */
  insertNext({ id, key, epoch }: Claim, row: BlockRow, cursor: number): boolean {
    const { firstSeq, lastSeq, at, turnId, body } = row;
    const count = lastSeq - firstSeq + 1;
    const values = [count, key, id, epoch, firstSeq, lastSeq, at, turnId, body, cursor];
    return this.#statements.insertNext.run(...values).changes === 1;
  }

  /** Removes some blocks of a session, at most `REMOVED_AT_ONCE`. Returns true if no block is left. */
  removeSome(session: number): boolean {
    this.#statements.keepPositions.run();
    return this.#statements.removeSome.run(session, REMOVED_AT_ONCE).changes < REMOVED_AT_ONCE;
  }

  read(
    session: { readonly id: SessionId; readonly key: number; readonly runtime: string },
    { after, limit }: ReadOptions,
  ): StreamEvent[] {
    const rows: Iterable<BlockRow> = this.#statements.read.iterate(session.key, after);
    let lastSeq = after;
    return collect(rows, limit, (row, room) => {
      const skip = lastSeq + 1 - row.firstSeq;
      if (skip < 0) throw new DamagedBlockError(`Event ${lastSeq + 1} of ${session.id} is missing`);
      lastSeq = row.lastSeq;
      return toEvents(row, session, { skip, limit: room });
    });
  }

  readBefore(
    session: { readonly id: SessionId; readonly key: number; readonly runtime: string },
    { before, limit }: ReadBeforeOptions,
  ): StreamEvent[] {
    const rows: Iterable<BlockRow> = this.#statements.readBefore.iterate(session.key, before - 1);
    let firstSeq: number | undefined;
    const events = collect(rows, limit, (row, room) => {
      if (firstSeq !== undefined && row.lastSeq !== firstSeq - 1)
        throw new DamagedBlockError(`Event ${firstSeq - 1} of ${session.id} is missing`);
      firstSeq = row.firstSeq;
      return toEventsBefore(row, session, before, room).reverse();
    });
    return events.reverse();
  }

  lastPosition(): number {
    const { position }: { position: number } = this.#statements.lastPosition.get();
    return position;
  }

  readAll({ after, limit }: ReadOptions): PositionedEvent[] {
    const rows: Iterable<PositionedRow> = this.#statements.readAll.iterate(after);
    return collect(rows, limit, (row, room) => {
      const offset = row.position - row.lastSeq;
      const skip = Math.max(0, after + 1 - offset - row.firstSeq);
      const events = toEvents(row, row, { skip, limit: room });
      return events.map((event) => ({ position: offset + event.seq, event }));
    });
  }
}

/** The maximum number of blocks per step. Limits the time during which no session can be written. */
const REMOVED_AT_ONCE = 64;

/** An SQL expression: the last `seq` in the log of the session with this `key`. */
export const LAST_SEQ = "coalesce((SELECT max(last_seq) FROM blocks WHERE session = key), 0)";

/** An SQL expression: the last position that was ever assigned, including positions of removed blocks. */
export const LAST_POSITION =
  "max((SELECT taken FROM positions), coalesce((SELECT max(position) FROM blocks), 0))";

/** Collects items up to a damaged row. The next read starts at the damaged row and throws. */
function collect<Row, Item>(
  rows: Iterable<Row>,
  limit: number,
  expand: (row: Row, room: number) => Item[],
): Item[] {
  const items: Item[] = [];
  if (limit <= 0) return items;
  try {
    for (const row of rows) {
      for (const item of expand(row, limit - items.length)) items.push(item);
      if (items.length >= limit) break;
    }
  } catch (error) {
    if (items.length === 0) throw error;
  }
  return items;
}

const columns = "first_seq AS firstSeq, last_seq AS lastSeq, at, turn_id AS turnId, body";

function prepareStatements(database: DatabaseSyncInstance) {
  return {
    insert: database.prepare(`
      INSERT INTO blocks (position, session, first_seq, last_seq, at, turn_id, body)
      VALUES (? + ${LAST_POSITION}, ?, ?, ?, ?, ?, ?)
    `),
    // OR IGNORE skips the row if the claim is not valid, because its session is then NULL. Faster than INSERT … SELECT.
    insertNext: database.prepare(`
      INSERT OR IGNORE INTO blocks
        (position, session, first_seq, last_seq, at, turn_id, body, cursor)
      VALUES (
        ?1 + ${LAST_POSITION},
        (
          SELECT key FROM sessions
          WHERE key = ?2 AND id = ?3 AND epoch = ?4 AND owner IS NOT NULL AND ${LAST_SEQ} = ?5 - 1
        ),
        ?5, ?6, ?7, ?8, ?9, ?10
      )
    `),
    keepPositions: database.prepare(`
      UPDATE positions SET taken = ${LAST_POSITION}
    `),
    removeSome: database.prepare(`
      DELETE FROM blocks
      WHERE position IN (SELECT position FROM blocks WHERE session = ? ORDER BY last_seq LIMIT ?)
    `),
    read: database.prepare(`
      SELECT ${columns} FROM blocks WHERE session = ? AND last_seq > ? ORDER BY last_seq
    `),
    // Starts at the block that contains the event ?2, or at the last block if the log ends before it.
    readBefore: database.prepare(`
      SELECT ${columns} FROM blocks
      WHERE session = ?1 AND first_seq <= ?2 AND last_seq <= coalesce(
        (SELECT min(last_seq) FROM blocks WHERE session = ?1 AND last_seq >= ?2), ?2
      )
      ORDER BY last_seq DESC
    `),
    lastPosition: database.prepare(`SELECT ${LAST_POSITION} AS position`),
    readAll: database.prepare(`
      SELECT position, id, runtime, ${columns}
      FROM blocks JOIN (SELECT key, id, runtime FROM sessions) ON key = session
      WHERE position > ? ORDER BY position
    `),
  };
}

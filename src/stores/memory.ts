import { isSameIdentity, type ProcessIdentity } from "../contracts/host.ts";
import type {
  Block,
  PositionedEvent,
  ReadBeforeOptions,
  ReadOptions,
  SearchOptions,
  SessionFilter,
  SessionRecord,
  Store,
  Writer,
} from "../contracts/store.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import type { SearchResult } from "../schema/search.ts";
import type { SessionInfo } from "../schema/session.ts";
import { type BlockRow, toEvents, toEventsBefore, toRows } from "./block-row.ts";
import { refusals } from "./refusals.ts";
import { scanEvents } from "./search/scan.ts";
import { selectSessions } from "./select-sessions.ts";

interface KeptSession {
  readonly id: SessionId;
  readonly runtime: string;
  /** Stored as JSON, so that changing a returned object does not change the store. */
  info: string;
  owner: ProcessIdentity | null;
  epoch: number;
  lastSeq: number;
  cursor: number;
  turnCursor: number;
  readonly blocks: KeptBlock[];
}

interface KeptBlock {
  readonly session: KeptSession;
  readonly row: BlockRow;
  /** The position of the block's last event. */
  readonly position: number;
}

/** An in-memory store. Its data is lost when the process exits. */
export class MemoryStore implements Store {
  /** The sessions in order of creation. */
  readonly #sessions = new Map<SessionId, KeptSession>();
  readonly #listeners = new Set<{ readonly call: () => void }>();
  #blocks: KeptBlock[] = [];
  #position = 0;
  #isClosed = false;
  #isNotifying = false;

  async create(info: SessionInfo, owner: ProcessIdentity): Promise<Writer> {
    this.#assertOpen();
    const { id, runtime } = info;
    if (this.#sessions.has(id)) throw refusals.exists(id);
    const location = { epoch: 1, lastSeq: 0, cursor: 0, turnCursor: 0 };
    const session = { id, runtime, info: JSON.stringify(info), owner, ...location, blocks: [] };
    this.#sessions.set(id, session);
    this.#notify();
    return this.#writer(session);
  }

  async claim(
    id: SessionId,
    owner: ProcessIdentity,
    replacing: ProcessIdentity | null,
  ): Promise<Writer> {
    this.#assertOpen();
    const session = this.#sessions.get(id);
    if (session === undefined) throw refusals.notFound(id);
    if (!isSame(session.owner, replacing)) throw refusals.owned(id, session.owner);
    session.owner = owner;
    session.epoch++;
    this.#notify();
    return this.#writer(session);
  }

  async find(id: SessionId): Promise<SessionRecord | undefined> {
    this.#assertOpen();
    const session = this.#sessions.get(id);
    return session && toRecord(session);
  }

  async list(filter: SessionFilter = {}): Promise<SessionRecord[]> {
    this.#assertOpen();
    return selectSessions([...this.#sessions.values()].map(toRecord), filter);
  }

  async read(id: SessionId, { after, limit }: ReadOptions): Promise<StreamEvent[]> {
    this.#assertOpen();
    const blocks = this.#sessions.get(id)?.blocks ?? [];
    const events: StreamEvent[] = [];
    for (let index = firstAbove(blocks, after, ({ row }) => row.lastSeq); ; index++) {
      const block = blocks[index];
      if (block === undefined || events.length >= limit) return events;
      const skip = Math.max(0, after + 1 - block.row.firstSeq);
      events.push(...toEvents(block.row, block.session, { skip, limit: limit - events.length }));
    }
  }

  async readBefore(id: SessionId, { before, limit }: ReadBeforeOptions): Promise<StreamEvent[]> {
    this.#assertOpen();
    const blocks = this.#sessions.get(id)?.blocks ?? [];
    const events: StreamEvent[] = [];
    const end = firstAbove(blocks, before - 1, ({ row }) => row.firstSeq);
    for (let index = end - 1; index >= 0 && events.length < limit; index--) {
      const block = blocks[index];
      if (block)
        events.unshift(...toEventsBefore(block.row, block.session, before, limit - events.length));
    }
    return events;
  }

  async readAll({ after, limit }: ReadOptions): Promise<PositionedEvent[]> {
    this.#assertOpen();
    const events: PositionedEvent[] = [];
    for (let index = firstAbove(this.#blocks, after, ({ position }) => position); ; index++) {
      const block = this.#blocks[index];
      if (block === undefined || events.length >= limit) return events;
      const offset = block.position - block.row.lastSeq;
      const skip = Math.max(0, after + 1 - offset - block.row.firstSeq);
      for (const event of toEvents(block.row, block.session, {
        skip,
        limit: limit - events.length,
      }))
        events.push({ position: offset + event.seq, event });
    }
  }

  async lastPosition(): Promise<number> {
    this.#assertOpen();
    return this.#position;
  }

  watch(listener: () => void): () => void {
    this.#assertOpen();
    const entry = { call: listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  async search(query: string, options?: SearchOptions): Promise<SearchResult> {
    this.#assertOpen();
    return scanEvents(this, query, options);
  }

  async remove(id: SessionId): Promise<void> {
    this.#assertOpen();
    this.#sessions.delete(id);
    this.#blocks = this.#blocks.filter(({ session }) => session.id !== id);
    this.#notify();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#notify(); // wakes readers, so that they notice that the store is closed
  }

  #writer(session: KeptSession): Writer {
    const { epoch } = session;
    return {
      append: async (block) => this.#append(session, epoch, block),
      release: async () => {
        this.#assertOpen();
        if (session.epoch !== epoch) return;
        session.owner = null;
        this.#notify();
      },
    };
  }

  #append(session: KeptSession, epoch: number, block: Block): void {
    this.#assertOpen();
    const { id, owner, lastSeq } = session;
    if (this.#sessions.get(id) !== session) throw refusals.notFound(id);
    if (session.epoch !== epoch || owner === null) throw refusals.owned(id, owner);
    if (block.firstSeq !== lastSeq + 1) throw refusals.gap(id, lastSeq, block.firstSeq);
    const info = JSON.stringify(block.info);
    for (const row of toRows(block)) {
      this.#position += row.lastSeq - row.firstSeq + 1;
      const kept = { session, row, position: this.#position };
      session.blocks.push(kept);
      this.#blocks.push(kept);
    }
    session.info = info;
    session.lastSeq += block.events.length;
    session.cursor = block.cursor ?? session.cursor;
    session.turnCursor = block.turnCursor ?? session.turnCursor;
    this.#notify();
  }

  /** Notifies listeners once per tick, and never during the call that wrote. */
  #notify(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    setImmediate(() => {
      this.#isNotifying = false;
      for (const listener of [...this.#listeners]) listener.call();
    });
  }

  #assertOpen(): void {
    if (this.#isClosed) throw refusals.closed("in memory");
  }
}

function toRecord({ info, owner, cursor, turnCursor }: KeptSession): SessionRecord {
  return { info: JSON.parse(info), owner, cursor, turnCursor };
}

function isSame(a: ProcessIdentity | null, b: ProcessIdentity | null): boolean {
  if (a === null || b === null) return a === b;
  return isSameIdentity(a, b);
}

/** Returns the index of the first block above `bound`. The blocks must be in ascending order. */
function firstAbove(
  blocks: readonly KeptBlock[],
  bound: number,
  measure: (block: KeptBlock) => number,
): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const block = blocks[middle];
    if (block !== undefined && measure(block) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}

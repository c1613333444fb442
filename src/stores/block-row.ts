import type { Block, StoredEvent } from "../contracts/store.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId, TurnId } from "../schema/id.ts";

/** A stored block. All its events are stored as one JSON text, so that a thousand events need only one write. */
export interface BlockRow {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: string;
  readonly turnId: TurnId | null;
  readonly body: string;
}

/**
 * Returns the rows of a block: one row, or several if the block is so large that reading a few of its events would be
 * slow.
 */
export function toRows(block: Block): BlockRow[] {
  const { firstSeq, at, turnId = null } = block;
  const rows: BlockRow[] = [];
  let seq = firstSeq;
  for (const { body, count } of toBodies(block.events)) {
    rows.push({ firstSeq: seq, lastSeq: seq + count - 1, at, turnId, body });
    seq += count;
  }
  return rows;
}

/** Thrown if stored data differs from the data that was written. */
export class DamagedBlockError extends Error {}

/** Returns a range of a row's events with their envelope. Throws if the body is damaged. */
export function toEvents(
  row: BlockRow,
  session: { readonly id: SessionId; readonly runtime: string },
  range: { readonly skip: number; readonly limit: number },
): StreamEvent[] {
  const stored = parseBody(row).slice(range.skip, range.skip + range.limit);
  return withEnvelope(row, session, stored, range.skip);
}

/** Adds the envelope to events of a row. `skip` is the number of preceding events in the row. */
export function withEnvelope(
  row: Omit<BlockRow, "body">,
  session: { readonly id: SessionId; readonly runtime: string },
  stored: readonly StoredEvent[],
  skip: number,
): StreamEvent[] {
  const turn = row.turnId === null ? {} : { turnId: row.turnId };
  const envelope = { at: row.at, sessionId: session.id, ...turn, runtime: session.runtime };
  return stored.map((event, index) => ({
    seq: row.firstSeq + skip + index,
    ...envelope,
    ...event,
  }));
}

/** Returns the last events of a row with a `seq` below `before`, at most `limit`. */
export function toEventsBefore(
  row: BlockRow,
  session: { readonly id: SessionId; readonly runtime: string },
  before: number,
  limit: number,
): StreamEvent[] {
  const count = Math.min(row.lastSeq + 1, before) - row.firstSeq;
  const skip = Math.max(0, count - limit);
  return toEvents(row, session, { skip, limit: count - skip });
}

function parseBody({ body, firstSeq, lastSeq }: BlockRow): StoredEvent[] {
  const stored: unknown = JSON.parse(body);
  if (Array.isArray(stored) && stored.length === lastSeq - firstSeq + 1) return stored;
  throw new DamagedBlockError(
    `The block from ${firstSeq} to ${lastSeq} does not contain its events`,
  );
}

interface Body {
  readonly body: string;
  readonly count: number;
}

function toBodies(events: readonly StoredEvent[]): Body[] {
  const bodies: Body[] = [];
  for (let at = 0; at < events.length; at += MAX_EVENTS) {
    bodies.push(...bySize(events.slice(at, at + MAX_EVENTS)));
  }
  return bodies;
}

/** Formats each event at most twice: a block may contain a line of 50 MiB. */
function bySize(events: readonly StoredEvent[]): Body[] {
  const body = JSON.stringify(events);
  if (body.length <= MAX_BODY_LENGTH) return [{ body, count: events.length }];
  const bodies: Body[] = [];
  let texts: string[] = [];
  let length = 0;
  const flush = () => {
    if (texts.length > 0) bodies.push({ body: `[${texts.join()}]`, count: texts.length });
    texts = [];
    length = 0;
  };
  for (const event of events) {
    const text = JSON.stringify(event);
    if (length + text.length > MAX_BODY_LENGTH) flush();
    texts.push(text);
    length += text.length + 1;
  }
  flush();
  return bodies;
}

/** The maximum number of events per row, which is the page size of `followAll`. */
const MAX_EVENTS = 1000;
const MAX_BODY_LENGTH = 1024 * 1024;

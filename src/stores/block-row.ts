import type { Block, StoredEvent } from "../core/store.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId, TurnId } from "../schema/id.ts";

/** A block as it is kept: its events in one piece of JSON, so that a thousand of them cost one write. */
export interface BlockRow {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: string;
  readonly turnId: TurnId | null;
  readonly body: string;
}

/** One row, or several where the block is too big to be parsed again for the sake of a few events. */
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

/** What is read is not what was written. */
export class DamagedBlockError extends Error {}

/** Some of a row's events, whole again. Throws where the body is damaged. */
export function toEvents(
  row: BlockRow,
  session: { readonly id: SessionId; readonly runtime: string },
  range: { readonly skip: number; readonly limit: number },
): StreamEvent[] {
  const stored = parseBody(row);
  const turn = row.turnId === null ? {} : { turnId: row.turnId };
  const envelope = { at: row.at, sessionId: session.id, ...turn, runtime: session.runtime };
  return stored
    .slice(range.skip, range.skip + range.limit)
    .map((event, index) => ({ seq: row.firstSeq + range.skip + index, ...envelope, ...event }));
}

function parseBody({ body, firstSeq, lastSeq }: BlockRow): StoredEvent[] {
  const stored: unknown = JSON.parse(body);
  if (Array.isArray(stored) && stored.length === lastSeq - firstSeq + 1) return stored;
  throw new DamagedBlockError(`the block from ${firstSeq} to ${lastSeq} does not hold its events`);
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

function bySize(events: readonly StoredEvent[]): Body[] {
  const body = JSON.stringify(events);
  if (body.length <= MAX_BODY_LENGTH || events.length === 1)
    return [{ body, count: events.length }];
  const middle = Math.ceil(events.length / 2);
  return [...bySize(events.slice(0, middle)), ...bySize(events.slice(middle))];
}

/** As many as a page of a reader has. */
const MAX_EVENTS = 1000;
const MAX_BODY_LENGTH = 1024 * 1024;

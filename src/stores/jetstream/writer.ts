import { createHash } from "node:crypto";
import type { StoredMsg } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/transport-node";
import type { Block, Writer } from "../../contracts/store.ts";
import { HalyardError } from "../../errors/error.ts";
import type { SessionId } from "../../schema/id.ts";
import { type BlockRow, toRows } from "../block-row.ts";
import { refusals } from "../refusals.ts";
import { isWrongSequence, TakenSequenceError } from "./errors.ts";
import { encodeMessage, type LogRecord, readHeader, type WrittenMessage } from "./log-message.ts";
import type { LogStream } from "./log-stream.ts";
import { splitRows } from "./parts.ts";

/** The parts of the store that a writer uses. */
export interface WriterContext {
  readonly stream: LogStream;
  /** Called after each write. */
  readonly onWritten: () => void;
  /** Throws if the store is closed. */
  readonly requireOpen: () => void;
  /** Returns the stored record of a session. */
  readonly find: (id: SessionId) => Promise<LogRecord | undefined>;
}

/** A written claim: its record, and the stream sequence of its message. */
export interface StreamClaim {
  readonly record: LogRecord;
  readonly seq: number;
}

interface Pending {
  readonly block: Block;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Blocks whose write failed although the servers may have stored them. */
interface Unconfirmed {
  readonly message: WrittenMessage;
  readonly blocks: readonly Block[];
}

/**
 * Writes one session. Every message names the session's last message, so that the servers reject it if another writer
 * has claimed the session. One message is in flight at a time; blocks that arrive in the meantime share the next
 * message.
 */
export class SessionWriter implements Writer {
  readonly #context: WriterContext;
  #record: LogRecord;
  /** The stream sequence of the last message of the session. */
  #seq: number;
  #pending: Pending[] = [];
  #running: Promise<void> | undefined;
  #unconfirmed: Unconfirmed | undefined;
  /** The reason why this writer can no longer write. */
  #loss: HalyardError | undefined;
  /** Blocks that are stored although their append was rejected. The caller appends them again. */
  #stored: readonly Block[] = [];

  constructor({ record, seq }: StreamClaim, context: WriterContext) {
    this.#record = record;
    this.#seq = seq;
    this.#context = context;
  }

  append(block: Block): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ block, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when no write is pending. Never rejects. */
  async flush(): Promise<void> {
    await this.#running;
  }

  async release(): Promise<void> {
    this.#context.requireOpen();
    await this.#running;
    if (this.#record.owner === null) return;
    try {
      await this.#write({ ...this.#record, owner: null }, []);
    } catch (error) {
      if (!isLost(error)) throw error;
    }
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // calls of the same tick share a message
    while (this.#pending.length > 0) {
      const taken = this.#take();
      try {
        this.#context.requireOpen();
        await this.#appendAll(taken.map(({ block }) => block));
        for (const { resolve } of taken) resolve();
      } catch (error) {
        const failed = taken.concat(isGap(error) ? [] : this.#pending.splice(0));
        for (const { reject } of failed) reject(error);
      }
    }
    this.#running = undefined;
  }

  /**
   * Returns the blocks of the next message. A block that leaves a gap in the log is sent alone, so that only its own
   * append rejects.
   */
  #take(): Pending[] {
    let next = this.#record.info.lastSeq + 1;
    let count = 0;
    for (const { block } of this.#pending) {
      const isLast = count > 0 && next - this.#record.info.lastSeq > MAX_EVENTS;
      if (block.firstSeq !== next || isLast) break;
      next += block.events.length;
      count++;
    }
    return this.#pending.splice(0, Math.max(1, count));
  }

  async #appendAll(blocks: readonly Block[]): Promise<void> {
    if (this.#loss) throw this.#loss;
    const left = await this.#withoutStored(blocks);
    const [first] = left;
    if (first === undefined) return;
    const { info, owner } = this.#record;
    if (owner === null) throw refusals.owned(info.id, null);
    if (first.firstSeq !== info.lastSeq + 1)
      throw refusals.gap(info.id, info.lastSeq, first.firstSeq);
    const last = left.at(-1) ?? first;
    const record = {
      ...this.#record,
      info: last.info,
      cursor: lastOf(left.map(({ cursor }) => cursor)) ?? this.#record.cursor,
      turnCursor: lastOf(left.map(({ turnCursor }) => turnCursor)) ?? this.#record.turnCursor,
    };
    await this.#write(record, left);
  }

  /** Excludes the blocks that an earlier, unconfirmed message has stored. */
  async #withoutStored(blocks: readonly Block[]): Promise<readonly Block[]> {
    const [first] = blocks;
    const { message, blocks: unconfirmed = [] } = this.#unconfirmed ?? {};
    if (message && first && unconfirmed[0] && isSame(unconfirmed[0], first)) {
      await this.#publish(message, unconfirmed);
      this.#stored = unconfirmed;
    }
    this.#unconfirmed = undefined;
    let count = 0;
    for (const block of blocks) {
      const stored = this.#stored[count];
      if (stored === undefined || !isSame(stored, block)) break;
      count++;
    }
    this.#stored = this.#stored.slice(count);
    return blocks.slice(count);
  }

  async #write(after: LogRecord, blocks: readonly Block[]): Promise<void> {
    const { stream } = this.#context;
    const firstSeq = this.#record.info.lastSeq + 1;
    const lastSeq = firstSeq + blocks.reduce((sum, { events }) => sum + events.length, 0) - 1;
    const record = { ...after, info: { ...after.info, lastSeq } };
    const written = blocks.flatMap(toRows);
    const writeId = this.#idOf(record, written);
    const rows = await splitRows(stream, record.info.id, writeId, written);
    await this.#publish({ header: { writeId, firstSeq, lastSeq }, record, rows }, blocks);
  }

  async #publish(message: WrittenMessage, blocks: readonly Block[]): Promise<void> {
    const { record } = message;
    const { id } = record.info;
    try {
      this.#seq = await publishMessage(this.#context.stream, message, this.#seq);
    } catch (error) {
      if (isWrongSequence(error)) {
        this.#loss = await this.#refusal(id);
        throw this.#loss;
      }
      if (error instanceof HalyardError && blocks.length > 0)
        this.#unconfirmed = { message, blocks };
      throw this.#context.stream.toError(error);
    }
    this.#record = record;
    this.#context.onWritten();
  }

  async #refusal(id: SessionId): Promise<HalyardError> {
    const found = await this.#context.find(id);
    return found === undefined ? refusals.notFound(id) : refusals.owned(id, found.owner);
  }

  /** Returns the id of a write. It is the same for the same content after the same message, to detect repetitions. */
  #idOf(record: LogRecord, rows: readonly BlockRow[]): string {
    const hash = createHash("sha256").update(`${this.#seq} ${JSON.stringify(record)}`);
    for (const { body } of rows) hash.update(body);
    return hash.digest("base64url");
  }
}

/**
 * Publishes a message after the message with the stream sequence `expected`, and returns its own sequence. Recognizes
 * its own message if an earlier attempt was stored but its acknowledgment was lost.
 *
 * The id of the message contains `expected`. Before 2.9.21, only the leader of replicated servers compares `expected`
 * with its last message, and it does so before the messages in flight are stored. All servers discard a second message
 * with the same id.
 */
export async function publishMessage(
  stream: LogStream,
  message: WrittenMessage,
  expected: number,
): Promise<number> {
  const { header, record } = message;
  const subject = stream.names.log(record.info.id);
  const id = expected === 0 ? header.writeId : `${subject} ${expected}`; // a removed session can be created again
  const isOwn = (stored: StoredMsg | null) =>
    stored !== null && readHeader(stored.header).writeId === header.writeId;
  try {
    const encode = (fields: MsgHdrs) => encodeMessage(fields, message);
    const { seq, duplicate } = await stream.publish({ subject, id, expected, encode });
    if (!duplicate || isOwn(await stream.at(seq))) return seq;
    throw new TakenSequenceError(`another message follows message ${expected}`);
  } catch (error) {
    if (!isWrongSequence(error)) throw error;
    const last = await stream.last(subject);
    if (last !== null && isOwn(last)) return last.seq;
    throw error;
  }
}

function lastOf(values: readonly (number | undefined)[]): number | undefined {
  return values.findLast((value) => value !== undefined);
}

function isSame(one: Block, other: Block): boolean {
  return one.firstSeq === other.firstSeq && JSON.stringify(one) === JSON.stringify(other);
}

function isGap(error: unknown): boolean {
  return error instanceof HalyardError && error.code === "internal";
}

function isLost(error: unknown): boolean {
  return (
    error instanceof HalyardError &&
    (error.code === "session_owned" || error.code === "session_not_found")
  );
}

/** The number of events above which no further block is added to a message. */
const MAX_EVENTS = 5_000;

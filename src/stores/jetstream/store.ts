import type { NatsConnection } from "@nats-io/transport-node";
import { nanoid } from "nanoid";
import { isSameIdentity, type ProcessIdentity } from "../../contracts/host.ts";
import type {
  PositionedEvent,
  ReadBeforeOptions,
  ReadOptions,
  SearchOptions,
  SessionFilter,
  SessionRecord,
  Store,
  Writer,
} from "../../contracts/store.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { SessionId } from "../../schema/id.ts";
import type { SearchResult } from "../../schema/search.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { refusals } from "../refusals.ts";
import { scanEvents } from "../search/scan.ts";
import { selectSessions } from "../select-sessions.ts";
import { StreamChanges } from "./changes.ts";
import { isWrongSequence } from "./errors.ts";
import { locateEvents, ReadPositions } from "./locate.ts";
import { type LogRecord, readHeader, readPayload, recordIn } from "./log-message.ts";
import { LogStream } from "./log-stream.ts";
import { fromStored, messagesFrom } from "./messages.ts";
import { streamNames } from "./names.ts";
import { createNatsClient, type NatsClient } from "./nats.ts";
import { eventsIn } from "./row-events.ts";
import { type DirectoryEntry, SessionDirectory } from "./session-directory.ts";
import { publishMessage, SessionWriter, type StreamClaim } from "./writer.ts";

/** Options of `openJetStreamStore`. */
export interface JetStreamStoreOptions {
  /** The name of the cluster, which separates clusters on the same servers. Defaults to `"main"`. */
  readonly cluster?: string | undefined;
  /** The number of servers that store each event. Applies when the stream is created. Defaults to 1. */
  readonly replicas?: number | undefined;
  /** How long a call waits for servers that do not respond, in milliseconds. Defaults to 20,000. */
  readonly patienceMs?: number | undefined;
}

/** Opens the store of a cluster on NATS JetStream. Creates it if it does not exist. Disposal does not close the connection. */
export async function openJetStreamStore(
  connection: NatsConnection,
  { cluster = "main", replicas = 1, patienceMs = 20_000 }: JetStreamStoreOptions = {},
): Promise<Store> {
  const client = await createNatsClient(connection);
  const stream = new LogStream(client, { names: streamNames(cluster), replicas, patienceMs });
  try {
    await stream.ensure();
  } catch (error) {
    throw stream.toError(error);
  }
  return new JetStreamStore(client, stream);
}

/**
 * A store in one JetStream stream for all machines of a cluster. A session is one subject: each message contains the
 * events of a write and the session's state after it, so that both change atomically.
 */
class JetStreamStore implements Store {
  readonly #client: NatsClient;
  readonly #stream: LogStream;
  readonly #changes: StreamChanges;
  readonly #directory: SessionDirectory;
  readonly #positions = new ReadPositions();
  readonly #writers = new Set<SessionWriter>();
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(client: NatsClient, stream: LogStream) {
    this.#client = client;
    this.#stream = stream;
    this.#directory = new SessionDirectory(client, stream);
    const lastSequence = () => stream.lastSequence();
    this.#changes = new StreamChanges(client, { subject: stream.names.written, lastSequence });
  }

  create(info: SessionInfo, owner: ProcessIdentity): Promise<Writer> {
    return this.#use(async () => {
      const record = { info, owner, cursor: 0, turnCursor: 0, epoch: 1 };
      try {
        const seq = await this.#writeRecord(record, 0);
        return this.#writer({ record: { ...record, createdAt: seq }, seq });
      } catch (error) {
        throw isWrongSequence(error) ? refusals.exists(info.id) : error;
      }
    });
  }

  claim(id: SessionId, owner: ProcessIdentity, replacing: ProcessIdentity | null): Promise<Writer> {
    return this.#use(async () => {
      const found = await this.#last(id);
      if (found === undefined) throw refusals.notFound(id);
      const { record: before, seq } = found;
      if (!isSameOwner(before.owner, replacing)) throw refusals.owned(id, before.owner);
      const createdAt = before.createdAt ?? seq;
      const record = { ...before, createdAt, owner, epoch: before.epoch + 1 };
      try {
        return this.#writer({ record, seq: await this.#writeRecord(record, seq) });
      } catch (error) {
        if (!isWrongSequence(error)) throw error;
        const now = await this.#last(id);
        throw now === undefined ? refusals.notFound(id) : refusals.owned(id, now.record.owner);
      }
    });
  }

  find(id: SessionId): Promise<SessionRecord | undefined> {
    return this.#use(async () => {
      const found = await this.#last(id);
      return found && toSessionRecord(found.record);
    });
  }

  list(filter: SessionFilter = {}): Promise<SessionRecord[]> {
    return this.#use(async () => {
      const found = await this.#directory.list();
      const createdAt = ({ record, seq }: DirectoryEntry) => record.createdAt ?? seq;
      found.sort((one, other) => createdAt(one) - createdAt(other));
      return selectSessions(
        found.map(({ record }) => toSessionRecord(record)),
        filter,
      );
    });
  }

  read(id: SessionId, { after, limit }: ReadOptions): Promise<StreamEvent[]> {
    return this.#use(() => this.#read(id, after, limit));
  }

  readBefore(id: SessionId, { before, limit }: ReadBeforeOptions): Promise<StreamEvent[]> {
    return this.#use(async () => {
      const last = (await this.#last(id))?.record.info.lastSeq ?? 0;
      const end = Math.min(before - 1, last);
      const after = Math.max(0, end - limit);
      return end > after ? this.#read(id, after, end - after) : [];
    });
  }

  readAll({ after, limit }: ReadOptions): Promise<PositionedEvent[]> {
    return this.#use(async () => {
      const found: PositionedEvent[] = [];
      if (limit <= 0) return found;
      const { logs } = this.#stream.names;
      const from = Math.max(1, Math.floor(after / STEP));
      for await (const message of messagesFrom(this.#client, this.#stream, logs, from)) {
        const base = message.seq * STEP;
        const { firstSeq } = readHeader(message.fields);
        const skip = Math.max(0, after + 1 - base);
        const { events } = await eventsIn(this.#stream, message, firstSeq - 1 + skip);
        for (const event of events) {
          found.push({ position: base + event.seq - firstSeq, event });
          if (found.length >= limit) return found;
        }
      }
      return found;
    });
  }

  lastPosition(): Promise<number> {
    return this.#use(async () => {
      const last = await this.#stream.lastSequence();
      return last === 0 ? 0 : (last + 1) * STEP - 1;
    });
  }

  watch(listener: () => void): () => void {
    this.#requireOpen();
    return this.#changes.add(listener);
  }

  search(query: string, options?: SearchOptions): Promise<SearchResult> {
    return this.#use(() => scanEvents(this, query, options));
  }

  remove(id: SessionId): Promise<void> {
    return this.#use(async () => {
      await this.#stream.clear(this.#stream.names.log(id));
      await this.#stream.clear(this.#stream.names.part(id));
      this.#changes.publish();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#writers].map((writer) => writer.flush()));
    this.#isClosed = true;
    this.#changes.notify(); // wakes readers, so that they notice that the store is closed
    this.#changes.stop();
  }

  async #read(id: SessionId, after: number, limit: number): Promise<StreamEvent[]> {
    const found: StreamEvent[] = [];
    if (limit <= 0) return found;
    const subject = this.#stream.names.log(id);
    const from =
      this.#positions.get(subject, after) ?? (await locateEvents(this.#stream, subject, after));
    if (from === undefined) return found;
    for await (const message of messagesFrom(this.#client, this.#stream, subject, from)) {
      const { header, events } = await eventsIn(this.#stream, message, after);
      this.#positions.add(message, header.lastSeq);
      found.push(...events.slice(0, limit - found.length));
      if (found.length >= limit) break;
    }
    return found;
  }

  async #last(id: SessionId): Promise<StreamClaim | undefined> {
    const found = await this.#stream.last(this.#stream.names.log(id));
    if (found === null) return undefined;
    const message = fromStored(found);
    const record = recordIn(message.fields) ?? readPayload(message.data).record;
    return record && { record, seq: message.seq };
  }

  /** Writes a message without events. */
  async #writeRecord(record: LogRecord, expected: number): Promise<number> {
    const { lastSeq } = record.info;
    const header = { writeId: nanoid(), firstSeq: lastSeq + 1, lastSeq };
    const seq = await publishMessage(this.#stream, { header, record, rows: [] }, expected);
    this.#changes.publish();
    return seq;
  }

  #writer(claim: StreamClaim): Writer {
    const writer = new SessionWriter(claim, {
      stream: this.#stream,
      onWritten: () => this.#changes.publish(),
      requireOpen: () => this.#requireOpen(),
      find: async (id) => (await this.#last(id))?.record,
    });
    this.#writers.add(writer);
    return writer;
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    this.#requireOpen();
    try {
      return await work();
    } catch (error) {
      throw this.#stream.toError(error);
    }
  }

  #requireOpen(): void {
    if (this.#isClosed) throw refusals.closed(this.#stream.server);
  }
}

function toSessionRecord({ info, owner, cursor, turnCursor }: LogRecord): SessionRecord {
  return { info, owner, cursor, turnCursor };
}

function isSameOwner(one: ProcessIdentity | null, other: ProcessIdentity | null): boolean {
  if (one === null || other === null) return one === other;
  return isSameIdentity(one, other);
}

/** The distance between the positions of two consecutive messages. A message always contains fewer events. */
const STEP = 2 ** 20;

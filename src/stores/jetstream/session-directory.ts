import type { LogRecord } from "./log-message.ts";
import { readPayload, recordIn } from "./log-message.ts";
import type { LogStream } from "./log-stream.ts";
import { headersIn, type LogMessage, lastHeaders } from "./messages.ts";
import type { NatsClient } from "./nats.ts";

/** A session in the stream, and the sequence of its last message. */
export interface DirectoryEntry {
  readonly record: LogRecord;
  readonly seq: number;
}

interface Known {
  /** The sequence of the last stream message that this state includes. */
  readonly lastSeq: number;
  /** The number of messages in the stream at that time. */
  readonly messages: number;
  readonly entries: Map<string, DirectoryEntry>;
}

/** The sessions of a stream. Caches them, so that `list` reads only the messages since the previous call. */
export class SessionDirectory {
  readonly #client: NatsClient;
  readonly #stream: LogStream;
  #known: Known | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: NatsClient, stream: LogStream) {
    this.#client = client;
    this.#stream = stream;
  }

  /** Returns all sessions, including everything that was written before the call. */
  list(): Promise<DirectoryEntry[]> {
    const listed = this.#last.then(() => this.#list());
    this.#last = listed.catch(() => {}); // the caller receives the error
    return listed;
  }

  async #list(): Promise<DirectoryEntry[]> {
    const { last_seq: lastSeq, messages } = await this.#stream.state();
    const entries = (await this.#update(lastSeq, messages)) ?? (await this.#readAll(lastSeq));
    this.#known = entries.size <= MAX_REMEMBERED ? { lastSeq, messages, entries } : undefined;
    return [...entries.values()];
  }

  /** Adds the new messages to the cache. Returns undefined if it is empty, messages were removed, or too many are new. */
  async #update(
    lastSeq: number,
    messages: number,
  ): Promise<Map<string, DirectoryEntry> | undefined> {
    if (this.#known === undefined) return undefined;
    const { entries, ...known } = this.#known;
    const added = lastSeq - known.lastSeq;
    const hasRemoved = messages !== known.messages + added;
    if (hasRemoved || added > Math.max(MIN_STEP, entries.size)) return undefined;
    const { logs } = this.#stream.names;
    if (added > 0)
      for await (const message of headersIn(this.#client, this.#stream, logs, {
        from: known.lastSeq + 1,
        to: lastSeq,
      }))
        await this.#add(entries, message);
    return entries;
  }

  async #readAll(lastSeq: number): Promise<Map<string, DirectoryEntry>> {
    const entries = new Map<string, DirectoryEntry>();
    const { logs } = this.#stream.names;
    for await (const message of lastHeaders(this.#client, this.#stream, logs, lastSeq))
      await this.#add(entries, message);
    return entries;
  }

  async #add(entries: Map<string, DirectoryEntry>, message: LogMessage): Promise<void> {
    const { subject, seq, fields } = message;
    if ((entries.get(subject)?.seq ?? 0) >= seq) return;
    const record = recordIn(fields) ?? (await this.#recordAt(seq));
    if (record) entries.set(subject, { record, seq });
  }

  async #recordAt(seq: number): Promise<LogRecord | undefined> {
    const found = await this.#stream.at(seq);
    return found === null ? undefined : readPayload(found.data).record;
  }
}

/** The maximum number of cached sessions. Each needs about 3 kB of memory. */
const MAX_REMEMBERED = 20_000;
/**
 * The maximum number of new messages that an update reads, or the number of sessions if that is larger. If there are
 * more new messages, `list` reads each session's last message instead.
 */
const MIN_STEP = 1_000;

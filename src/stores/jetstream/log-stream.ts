import type { StoredMsg, StreamInfo } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/transport-node";
import { ensureStream } from "./ensure-stream.ts";
import { toStreamError } from "./errors.ts";
import type { StreamNames } from "./names.ts";
import type { NatsClient } from "./nats.ts";
import { repeatRequest } from "./repeat.ts";

/** Options of the stream of a cluster. */
export interface LogStreamOptions {
  readonly names: StreamNames;
  /** The number of servers that store each message. Applies if the stream does not exist yet. */
  readonly replicas: number;
  /** How long to repeat a request while the servers do not respond, in milliseconds. */
  readonly patienceMs: number;
}

/** A message to publish. */
export interface Publication {
  readonly subject: string;
  /** The same id for a repetition. A server discards a repetition within two minutes. */
  readonly id: string;
  /** The stream sequence of the last message on the subject, or 0 if it has none. If omitted, it is not checked. */
  readonly expected?: number;
  /** Sets header fields and returns the payload. Called for each attempt. */
  readonly encode: (fields: MsgHdrs) => string | Uint8Array;
}

/**
 * The stream of a cluster. Reads come from the leader of the stream, so that a message can be read when its publication
 * has been acknowledged.
 */
export class LogStream {
  readonly names: StreamNames;
  readonly #client: NatsClient;
  readonly #options: LogStreamOptions;

  constructor(client: NatsClient, options: LogStreamOptions) {
    this.#client = client;
    this.#options = options;
    this.names = options.names;
  }

  /** The address of the server, for messages. */
  get server(): string {
    return this.#client.connection.getServer();
  }

  /** The largest payload that is published as one message. */
  get maxPayload(): number {
    const limit = this.#client.connection.info?.max_payload ?? 1024 * 1024;
    return Math.min(512 * 1024, Math.floor(limit / 2));
  }

  /** Creates the stream unless it exists. */
  async ensure(): Promise<void> {
    const { stream, logs, parts } = this.names;
    const { replicas, patienceMs } = this.#options;
    const config = {
      name: stream,
      subjects: [logs, parts],
      num_replicas: replicas,
      // A stream at its limits rejects new messages instead of deleting old ones.
      discard: DISCARD_NEW,
      deny_delete: true,
    };
    await ensureStream(this.#client, config, patienceMs);
  }

  /** Publishes a message and returns its stream sequence. */
  publish({ subject, id, expected, encode }: Publication): Promise<number> {
    return this.repeat(async () => {
      const fields = this.#client.newHeaders();
      const payload = encode(fields);
      const { seq } = await this.#client.publisher.publish(subject, payload, {
        msgID: id,
        headers: fields,
        timeout: ATTEMPT_MS,
        ...(expected !== undefined && { expect: { lastSubjectSequence: expected } }),
      });
      return seq;
    });
  }

  /** Returns the last message of a subject. */
  last(subject: string): Promise<StoredMsg | null> {
    return this.#get({ last_by_subj: subject });
  }

  /** Returns the first message of a subject at or after a stream sequence. The subject can have wildcards. */
  next(subject: string, seq: number): Promise<StoredMsg | null> {
    const query = { seq, next_by_subj: subject }; // servers accept both fields; the type of the client does not
    return this.#get(query);
  }

  /** Returns the message with a stream sequence. */
  at(seq: number): Promise<StoredMsg | null> {
    return this.#get({ seq });
  }

  /** Deletes all messages of a subject. */
  async purge(subject: string): Promise<void> {
    await this.repeat(() =>
      this.#client.manager.streams.purge(this.names.stream, { filter: subject }),
    );
  }

  /** Returns the sequence of the last message that the stream has or had. */
  async lastSequence(): Promise<number> {
    return (await this.state()).last_seq;
  }

  /** Returns the number of messages, and the sequence of the last one. */
  async state(): Promise<StreamInfo["state"]> {
    const { state } = await this.repeat(
      (): Promise<StreamInfo> => this.#client.manager.streams.info(this.names.stream),
    );
    return state;
  }

  /** Repeats a request while the servers do not respond. Rejects with a `HalyardError`, or with a refusal of the servers. */
  repeat<T>(request: () => Promise<T>): Promise<T> {
    return repeatRequest(this.#client.connection, this.#options.patienceMs, request);
  }

  toError(error: unknown): Error {
    return toStreamError(error, this.server);
  }

  #get(query: Parameters<NatsClient["manager"]["streams"]["getMessage"]>[1]) {
    return this.repeat(() => this.#client.manager.streams.getMessage(this.names.stream, query));
  }
}

const ATTEMPT_MS = 2_000;
const DISCARD_NEW = "new" as const;

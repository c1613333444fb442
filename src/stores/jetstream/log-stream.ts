import type { StoredMsg, StreamInfo } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/transport-node";
import { deleteLast } from "./delete-last.ts";
import { ensureStream } from "./ensure-stream.ts";
import { toStreamError } from "./errors.ts";
import { encodeRemoval } from "./log-message.ts";
import type { StreamNames } from "./names.ts";
import type { NatsClient } from "./nats.ts";
import { repeatRequest } from "./repeat.ts";

/** Options of a cluster's log stream. */
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
  /** The id of the message, the same in every attempt. Within two minutes, the servers store one message per id. */
  readonly id: string;
  /** The stream sequence of the last message on the subject, or 0 if it has none. If omitted, it is not checked. */
  readonly expected?: number;
  /** Sets header fields and returns the payload. Called for each attempt. */
  readonly encode: (fields: MsgHdrs) => string | Uint8Array;
}

/** The result of a publication. */
export interface Published {
  readonly seq: number;
  /** True if the servers discarded this message because they had already stored one with the same id. */
  readonly duplicate: boolean;
}

/**
 * The log stream of a cluster. Reads go to the leader of the stream, so that a message can be read as soon as its
 * publication is acknowledged.
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

  /** The address of the server, for error messages. */
  get server(): string {
    return this.#client.connection.getServer();
  }

  /** The size of the largest payload that is published as one message, in bytes. */
  get maxPayload(): number {
    const limit = this.#client.connection.info?.max_payload ?? 1024 * 1024;
    return Math.min(512 * 1024, Math.floor(limit / 2));
  }

  /** Creates the stream if it does not exist. */
  async ensure(): Promise<void> {
    const { stream, logs, parts } = this.names;
    const { replicas, patienceMs } = this.#options;
    const config = {
      name: stream,
      subjects: [logs, parts],
      num_replicas: replicas,
      // A stream at its limits rejects new messages instead of deleting old ones.
      discard: DISCARD_NEW,
      allow_rollup_hdrs: true,
    };
    await ensureStream(this.#client, config, patienceMs);
    await this.#allowRemovals();
  }

  /** Updates a stream that an earlier version created, so that it allows removals. */
  async #allowRemovals(): Promise<void> {
    const { streams } = this.#client.manager;
    const { stream } = this.names;
    const { config } = await this.repeat((): Promise<StreamInfo> => streams.info(stream));
    if (config.allow_rollup_hdrs) return;
    await this.repeat(() => streams.update(stream, { ...config, allow_rollup_hdrs: true }));
  }

  /** Publishes a message. Returns its stream sequence, or that of the stored message with the same id. */
  publish({ subject, id, expected, encode }: Publication): Promise<Published> {
    return this.repeat(async () => {
      const fields = this.#client.newHeaders();
      const payload = encode(fields);
      return this.#client.publisher.publish(subject, payload, {
        msgID: id,
        headers: fields,
        timeout: ATTEMPT_MS,
        ...(expected !== undefined && { expect: { lastSubjectSequence: expected } }),
      });
    });
  }

  /** Returns the last message of a subject, or null if there is none. */
  last(subject: string): Promise<StoredMsg | null> {
    return this.#get({ last_by_subj: subject });
  }

  /** Returns the first message of a subject at or after a stream sequence, or null. The subject can have wildcards. */
  next(subject: string, seq: number): Promise<StoredMsg | null> {
    const query = { seq, next_by_subj: subject }; // servers accept both fields, but the client's type does not
    return this.#get(query);
  }

  /** Returns the message with a stream sequence, or null if it was deleted. */
  at(seq: number): Promise<StoredMsg | null> {
    return this.#get({ seq });
  }

  /**
   * Deletes all messages of a subject. First replaces them with a message without a record, then deletes that message
   * by its sequence. If the deletion fails, the message stays and is ignored. Does not purge the subject, for the
   * reason given at `deleteLast`.
   */
  async clear(subject: string): Promise<void> {
    if ((await this.last(subject)) === null) return;
    await this.repeat(() => {
      const fields = this.#client.newHeaders();
      fields.set("Nats-Rollup", "sub");
      const payload = encodeRemoval(fields);
      const options = { headers: fields, timeout: ATTEMPT_MS };
      return this.#client.publisher.publish(subject, payload, options);
    });
    // If the message stays, readers ignore it.
    await this.repeat(() => deleteLast(this.#client, this.names.stream, { subject })).catch(
      () => {},
    );
  }

  /** Returns the highest sequence that the stream has ever assigned. */
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

  /**
   * Repeats a request while the servers do not respond. Rejects with a `HalyardError`, or with the servers' error if
   * they reject the request.
   */
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

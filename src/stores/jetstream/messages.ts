import { setTimeout as sleep } from "node:timers/promises";
import type { ConsumerConfig, ConsumerMessages, JsMsg, StoredMsg } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/transport-node";
import { backoffMs } from "../../wire/backoff.ts";
import { DamagedBlockError } from "../block-row.ts";
import { isRepeatable } from "./errors.ts";
import type { LogStream } from "./log-stream.ts";
import type { NatsClient } from "./nats.ts";
import { repeatRequest } from "./repeat.ts";

/** A message of the stream. */
export interface LogMessage {
  readonly subject: string;
  /** The message's sequence in the stream. */
  readonly seq: number;
  readonly fields: MsgHdrs;
  readonly data: Uint8Array;
}

/** Converts a message that was read by its sequence. */
export function fromStored({ subject, seq, header, data }: StoredMsg): LogMessage {
  return { subject, seq, fields: header, data };
}

/**
 * Yields the messages of a subject from a stream sequence to the end of the stream. Reads the first few messages
 * individually, because a follower at the end of a log needs no more, and the rest through a consumer.
 */
export async function* messagesFrom(
  client: NatsClient,
  stream: LogStream,
  subject: string,
  from: number,
): AsyncGenerator<LogMessage> {
  let seq = from;
  for (let count = 0; count < SINGLE_READS; count++) {
    const found = await stream.next(subject, seq);
    if (found === null) return;
    seq = found.seq + 1;
    yield fromStored(found);
  }
  yield* consume(client, stream, {
    filter_subject: subject,
    deliver_policy: "by_start_sequence",
    opt_start_seq: seq,
  });
}

/** A range of stream sequences, including both ends. Messages in the range may have been deleted. */
export interface SequenceRange {
  readonly from: number;
  readonly to: number;
}

/** Yields the messages of a subject from `from` up to at least `to`. Messages that a consumer delivers have no data. */
export async function* headersIn(
  client: NatsClient,
  stream: LogStream,
  subject: string,
  { from, to }: SequenceRange,
): AsyncGenerator<LogMessage> {
  let next = from;
  if (to - from >= TAIL_READS)
    for await (const message of consume(client, stream, {
      filter_subject: subject,
      deliver_policy: "by_start_sequence",
      opt_start_seq: from,
      headers_only: true,
    })) {
      next = message.seq + 1;
      yield message;
    }
  yield* tail(stream, subject, { from: next, to });
}

/**
 * Yields the last message of each matching subject, for messages up to a stream sequence. Messages that a consumer
 * delivers have no data. A subject can occur twice: the later message is then the last one.
 */
export async function* lastHeaders(
  client: NatsClient,
  stream: LogStream,
  subject: string,
  to: number,
): AsyncGenerator<LogMessage> {
  let next = 1;
  for await (const message of consume(client, stream, {
    filter_subject: subject,
    deliver_policy: "last_per_subject",
    headers_only: true,
  })) {
    next = message.seq + 1;
    yield message;
  }
  yield* tail(stream, subject, { from: next, to });
}

/**
 * Yields messages that are read individually. Used for the end of a range, because a consumer on NATS 2.9 may skip a
 * message that was stored just before the consumer was created.
 */
async function* tail(
  stream: LogStream,
  subject: string,
  { from, to }: SequenceRange,
): AsyncGenerator<LogMessage> {
  for (let seq = from; seq <= to; ) {
    const found = await stream.next(subject, seq);
    if (found === null || found.seq > to) return;
    seq = found.seq + 1;
    yield fromStored(found);
  }
}

/** Yields the log messages that a new consumer selects. */
async function* consume(
  client: NatsClient,
  stream: LogStream,
  selection: Partial<ConsumerConfig>,
): AsyncGenerator<LogMessage> {
  try {
    for await (const message of consumeNow(client, stream.names.stream, selection))
      yield fromDelivered(message);
  } catch (error) {
    throw stream.toError(error);
  }
}

/**
 * Yields the messages that a new consumer selects. A consumer exists on one server only: if that server fails, another
 * consumer continues after the last message. If the selection is not in stream order and has yielded a message, throws the error.
 */
async function* consumeNow(
  client: NatsClient,
  stream: string,
  selection: Partial<ConsumerConfig>,
): AsyncGenerator<JsMsg> {
  const isOrdered = ["all", "by_start_sequence"].includes(selection.deliver_policy ?? "all");
  let last = 0;
  let deadline = performance.now() + CONTINUE_MS;
  for (let attempt = 0; ; attempt++) {
    const after = { deliver_policy: "by_start_sequence", opt_start_seq: last + 1 } as const;
    try {
      const rest = last === 0 ? selection : { ...selection, ...after };
      for await (const message of consumeOnce(client, stream, rest)) {
        last = message.seq;
        yield message;
        deadline = performance.now() + CONTINUE_MS;
      }
      return;
    } catch (error) {
      const canContinue = last === 0 || isOrdered;
      const isOver = client.connection.isClosed() || performance.now() > deadline;
      if (!isRepeatable(error) || !canContinue || isOver) throw error;
      await sleep(backoffMs(attempt, { baseMs: 20, maxMs: 500 }));
    }
  }
}

/** Yields the messages of one consumer, and deletes the consumer. */
async function* consumeOnce(
  { manager, publisher, connection }: NatsClient,
  stream: string,
  selection: Partial<ConsumerConfig>,
): AsyncGenerator<JsMsg> {
  const config = {
    ...selection,
    ack_policy: "none",
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: INACTIVE_NS,
  } as const;
  // The servers may be electing a leader. A consumer whose creation was not acknowledged expires.
  const info = await repeatRequest(connection, PATIENCE_MS, () =>
    manager.consumers.add(stream, config),
  );
  let left = info.num_pending;
  try {
    const consumer = await repeatRequest(connection, PATIENCE_MS, () =>
      publisher.consumers.get(stream, info.name),
    );
    while (left > 0) {
      const batch = await consumer.fetch({ max_messages: Math.min(BATCH, left), expires: WAIT_MS });
      let received = 0;
      for await (const message of delivered(batch)) {
        received++;
        left = Math.min(left - 1, message.info.pending);
        yield message;
      }
      // The messages may have expired or been removed in the meantime.
      if (received === 0) left = (await manager.consumers.info(stream, info.name)).num_pending;
      if (received === 0 && left > 0) throw undelivered();
    }
  } finally {
    // A consumer that cannot be deleted expires on its own.
    await manager.consumers.delete(stream, info.name).catch(() => false);
  }
}

/**
 * Yields the messages of a batch. If the server fails, the batch may never end, although it has a time limit.
 * Therefore, silence is treated as an error.
 */
async function* delivered(batch: ConsumerMessages): AsyncGenerator<JsMsg> {
  const messages = batch[Symbol.asyncIterator]();
  let onSilence = (_: Error): void => {};
  const silence = new Promise<never>((_, reject) => {
    onSilence = reject;
  });
  silence.catch(() => {}); // nothing awaits this promise if the batch ends without silence
  let isWaiting = false;
  const timer = setTimeout(() => {
    if (isWaiting) onSilence(undelivered());
    else timer.refresh();
  }, SILENCE_MS);
  try {
    for (;;) {
      timer.refresh();
      isWaiting = true;
      const { done, value } = await Promise.race([messages.next(), silence]);
      isWaiting = false;
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
    void batch.close(); // may not resolve
  }
}

/** Returns the error for messages that the servers do not deliver. Named `TimeoutError`, so that the caller retries. */
function undelivered(): Error {
  const message = `no message was delivered within ${WAIT_MS / 1000} s`;
  return Object.assign(new Error(message), { name: "TimeoutError" });
}

function fromDelivered({ subject, seq, headers, data }: JsMsg): LogMessage {
  if (headers === undefined)
    throw new DamagedBlockError("A message in the stream was not written by Halyard");
  return { subject, seq, fields: headers, data };
}

const SINGLE_READS = 3;
/** The largest number of messages that are read individually. A longer range is read through a consumer. */
const TAIL_READS = 20;
const BATCH = 500;
const WAIT_MS = 5_000;
/** How long a batch may be silent, in milliseconds. A working server ends a batch within `WAIT_MS`. */
const SILENCE_MS = WAIT_MS + 2_000;
const PATIENCE_MS = 5_000;
/** How long a read continues with other consumers after its last message, in milliseconds. */
const CONTINUE_MS = 20_000;
const INACTIVE_NS = 30_000_000_000;

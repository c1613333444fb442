import { createParser, type EventSourceMessage } from "eventsource-parser";

/**
 * Yields the messages in a stream of server-sent events, in batches as they are received. Ends if the server closes the
 * stream, or sends no message and no heartbeat for 30 to 45 s: a network may drop a connection without closing it.
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<readonly EventSourceMessage[]> {
  let batch: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => batch.push(message) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  /** The number of heartbeats that are missing while this function waits for data. */
  let missing = 0;
  let isWaiting = false;
  const watch = setInterval(() => {
    if (isWaiting && ++missing > MISSING_HEARTBEATS) void reader.cancel().catch(() => {}); // the stream may have failed
  }, HEARTBEAT_MS);
  try {
    while (true) {
      isWaiting = true;
      const { done, value } = await reader.read();
      isWaiting = false;
      missing = 0;
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      if (batch.length === 0) continue;
      yield batch;
      batch = [];
    }
  } finally {
    clearInterval(watch);
    await reader.cancel().catch(() => {}); // the stream may already have failed
  }
}

/** The interval at which a server sends heartbeats, in milliseconds. */
const HEARTBEAT_MS = 15_000;
const MISSING_HEARTBEATS = 2;

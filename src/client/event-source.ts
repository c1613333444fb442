import { createParser, type EventSourceMessage } from "eventsource-parser";

/** Yields the messages in a stream of server-sent events, in batches as they are received. */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<readonly EventSourceMessage[]> {
  let batch: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => batch.push(message) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      if (batch.length === 0) continue;
      yield batch;
      batch = [];
    }
  } finally {
    await reader.cancel().catch(() => {}); // the stream may already have failed
  }
}

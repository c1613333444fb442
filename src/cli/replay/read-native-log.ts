import type { Mapper } from "../../contracts/event-draft.ts";
import { isRecord } from "../../wire/is-record.ts";
import { createNdjsonReader, type NdjsonItem } from "../../wire/ndjson.ts";

/** A line of a native log that is not a message. */
export class Garbage {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Reads the agent's messages from a native log: one JSON value per line, bare or wrapped with time and direction. Skips
 * the client's messages. A line that is not JSON becomes `Garbage`.
 */
export async function* readNativeLog(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const reader = createNdjsonReader();
  for await (const chunk of bytes) yield* messages(reader.push(chunk));
  yield* messages(reader.end());
}

/** Wraps a mapper so that garbage becomes a warning event. */
export function mapGarbageToWarnings(mapper: Mapper): Mapper {
  return {
    map: (message) =>
      message instanceof Garbage
        ? [{ type: "system", subtype: "warning", text: message.text }]
        : mapper.map(message),
    flush: () => mapper.flush(),
  };
}

function* messages(items: readonly NdjsonItem[]): Generator<unknown> {
  for (const item of items) {
    if (item.kind === "garbage") {
      const excerpt = item.text === "" ? "" : `: ${item.text.slice(0, 80)}`;
      yield new Garbage(`not a message (${item.reason})${excerpt}`);
    } else {
      yield* unwrap(item.value);
    }
  }
}

/** Unwraps a line: `{ms, dir, msg}`, `{t, dir, msg}`, `{ms, ev}`, `{ev}`, `{t, e}`, `{t_ms, data}`, or the message itself. */
function* unwrap(line: unknown): Generator<unknown> {
  if (!isRecord(line)) return yield line;
  const isTimed = ["ms", "t", "t_ms"].some((name) => typeof line[name] === "number");
  const content = ["msg", "ev", "e", "data"].find((name) => name in line);
  if (isTimed && "dir" in line && !fromAgent.includes(line.dir)) return;
  const isWrapped = isTimed || Object.keys(line).join() === "ev";
  yield isWrapped && content !== undefined ? line[content] : line;
}

const fromAgent: readonly unknown[] = ["<-", "server->client"];

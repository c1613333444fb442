import { describe, expect, test } from "vitest";
import { HalyardError } from "../../errors/error.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { eventFrames } from "./event-frames.ts";
import { jsonLines, jsonList } from "./json-list.ts";
import { positionedFrames } from "./positioned-frames.ts";

/** Returns a batch, and the indexes of its events that were encoded. */
function largeBatch(events: number, characters: number) {
  const encoded = new Set<number>();
  const batch = Array.from({ length: events }, (_, index) => ({
    toJSON: () => {
      encoded.add(index);
      return { seq: index + 1, text: "x".repeat(characters) };
    },
    seq: index + 1,
  })) as unknown as readonly StreamEvent[];
  return { batch, encoded };
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

const signal = new AbortController().signal;
const options = { signal, basePath: "", onFault: () => {} };

test("encodes at most 1 MiB of a batch before the reader requests more", async () => {
  const { batch, encoded } = largeBatch(100, 100_000);
  const frames = eventFrames(once(batch), options);
  await frames.next();
  expect(encoded.size).toBeLessThan(12);
  let bytes = 0;
  for await (const piece of frames) bytes += piece.length;
  expect(encoded.size).toBe(100);
  expect(bytes).toBeGreaterThan(99 * 100_000);
});

test("encodes a large event in pieces of at most 256 KiB, without splitting a character", async () => {
  const text = "👩‍👩‍👧 漢字 é ".repeat(200_000);
  const event = { type: "delta", seq: 1, text } as unknown as StreamEvent;
  const pieces: Uint8Array[] = [];
  for await (const piece of eventFrames(once([event]), options)) pieces.push(piece);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(256 * 1024);
  const sent = Buffer.concat(pieces).toString();
  const expected = `id: 1\ndata: ${JSON.stringify(event)}\n\nevent: end\ndata: {}\n\n`;
  expect(sent === expected).toBe(true); // compares with ===, because the texts are too long to print
});

test("sends all events in a batch to every reader, in order", async () => {
  const { batch } = largeBatch(30, 100_000);
  for (const _ of ["first", "second"]) {
    let text = "";
    for await (const piece of eventFrames(once(batch), options)) text += Buffer.from(piece);
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(batch.map(({ seq }) => seq));
    expect(text.endsWith("event: end\ndata: {}\n\n")).toBe(true);
  }
});

describe.each([
  ["of one session", eventFrames],
  ["of all sessions", positionedFrames],
])("a stream %s that cannot be read", (_, toFrames) => {
  const read = async (cause: Error) => {
    const failing = async function* () {
      yield* [];
      throw cause;
    };
    const faults: unknown[] = [];
    const onFault = (error: unknown) => void faults.push(error);
    let text = "";
    for await (const piece of toFrames(failing(), { signal, basePath: "/halyard", onFault }))
      text += Buffer.from(piece);
    const [, data = ""] = /^event: error\ndata: (.*)\n\n$/.exec(text) ?? [];
    return { problem: JSON.parse(data), faults };
  };

  test("ends with an error whose type is a URL below the base path", async () => {
    expect(await read(new HalyardError("store_failed", "The disk is gone."))).toMatchObject({
      problem: { type: "/halyard/docs#error-store_failed", detail: "The disk is gone." },
      faults: [],
    });
  });

  test("reports an unexpected error to the server's log, and does not send its message", async () => {
    const cause = new TypeError("x is not a function");
    const { problem, faults } = await read(cause);
    expect(problem).toMatchObject({ code: "internal", detail: expect.stringContaining("log") });
    expect(faults).toEqual([cause]);
  });
});

test.each([
  ["lines", jsonLines],
  ["a list", (batches: AsyncIterable<readonly unknown[]>) => jsonList(batches, "[", () => "]")],
])("encodes a large batch as %s piece by piece", async (_, encode) => {
  const { batch, encoded } = largeBatch(100, 100_000);
  const pieces = encode(once<readonly unknown[]>(batch));
  await pieces.next();
  await pieces.next();
  expect(encoded.size).toBeLessThan(3);
  await pieces.return(undefined);
});

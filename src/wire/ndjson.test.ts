import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createNdjsonReader, type NdjsonItem, toJsonLine } from "./ndjson.ts";

function read(bytes: Buffer, chunkBytes = bytes.length): NdjsonItem[] {
  const reader = createNdjsonReader();
  const items: NdjsonItem[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    items.push(...reader.push(bytes.subarray(at, at + chunkBytes)));
  return [...items, ...reader.end()];
}

describe("a reader", () => {
  test("returns one value per line, with its end offset", () => {
    expect(read(Buffer.from('{"a":1}\n[2]\r\nnull'))).toEqual([
      { kind: "message", value: { a: 1 }, end: 8 },
      { kind: "message", value: [2], end: 13 },
      { kind: "message", value: null, end: 17 },
    ]);
  });

  test("skips blank lines", () => {
    expect(read(Buffer.from("\n  \t\r\n1\n\n"))).toEqual([{ kind: "message", value: 1, end: 8 }]);
  });

  test.each(["[", '{"a":'])(
    "returns a value with too many nested %s as garbage without text, and continues",
    (opening) => {
      const closing = opening === "[" ? "]" : "}";
      const nested = (depth: number) => `${opening.repeat(depth)}1${closing.repeat(depth)}\n`;
      const [fair, deep, last] = read(Buffer.from(`${nested(1000)}${nested(20_000)}2\n`));
      expect(fair).toMatchObject({ kind: "message" });
      expect(deep).toMatchObject({
        kind: "garbage",
        text: "",
        reason: expect.stringMatching(/deep/),
      });
      expect(last).toMatchObject({ kind: "message", value: 2 });
    },
  );

  test("returns lines that are not JSON as garbage, and continues", () => {
    expect(read(Buffer.from('Warning: old Node\n{"cut\n2\n'))).toEqual([
      { kind: "garbage", text: "Warning: old Node", reason: expect.any(String), end: 18 },
      { kind: "garbage", text: '{"cut', reason: expect.any(String), end: 24 },
      { kind: "message", value: 2, end: 26 },
    ]);
  });

  test("truncates the text of a long line that is not JSON", () => {
    const [item] = read(Buffer.from("x".repeat(100_000)));
    expect(item).toMatchObject({ kind: "garbage", text: "x".repeat(1000), end: 100_000 });
  });

  test("reports the size of a line over the limit", () => {
    const reader = createNdjsonReader({ maxBytes: 4, from: 10 });
    expect(reader.push(Buffer.from('"12345"\n1\n'))).toEqual([
      { kind: "garbage", text: "", reason: "the line is too long (7 bytes)", end: 18 },
      { kind: "message", value: 1, end: 20 },
    ]);
  });

  test("marks a message that is not valid UTF-8", () => {
    expect(read(Buffer.from([0x22, 0xff, 0x22, 0x0a]))).toEqual([
      { kind: "message", value: "\ufffd", end: 4, invalidUtf8: true },
    ]);
  });

  test("never throws for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        read(Buffer.from(bytes), 7);
      }),
    );
  });
});

describe("a JSON line", () => {
  test("is one line, ending in LF", () => {
    expect(toJsonLine({ text: "a\nb\u2028" })).toBe('{"text":"a\\nb\u2028"}\n');
  });

  test("throws for a value that JSON cannot represent", () => {
    expect(() => toJsonLine(undefined)).toThrow("JSON cannot represent a value of type undefined");
  });

  test("is read back unchanged, independent of the chunks", () => {
    const values = fc.array(fc.jsonValue({ stringUnit: "binary" }));
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 40 }), (sent, chunkBytes) => {
        const bytes = Buffer.from(sent.map(toJsonLine).join(""));
        const received = read(bytes, chunkBytes).map((item) =>
          item.kind === "message" ? item.value : item,
        );
        expect(received).toEqual(JSON.parse(JSON.stringify(sent)));
      }),
    );
  });
});

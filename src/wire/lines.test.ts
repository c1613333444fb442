import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLineSplitter, type Line, type LineSplitterOptions } from "./lines.ts";

/** Returns all lines of these chunks. */
function split(chunks: (string | Uint8Array)[], options?: LineSplitterOptions): Line[] {
  const splitter = createLineSplitter(options);
  const lines = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)));
  return [...lines, ...splitter.end()];
}

const texts = (lines: Line[]) =>
  lines.map((line) => (line.kind === "text" ? line.text : line.kind));

describe("a line", () => {
  test("ends at its LF and reports the byte offset after its LF", () => {
    expect(split(["one\ntwo\n"])).toEqual([
      { kind: "text", text: "one", end: 4 },
      { kind: "text", text: "two", end: 8 },
    ]);
  });

  test("is returned as soon as its LF arrives", () => {
    const splitter = createLineSplitter();
    expect(texts(splitter.push(Buffer.from("on")))).toEqual([]);
    expect(texts(splitter.push(Buffer.from("e\ntw")))).toEqual(["one"]);
    expect(texts(splitter.push(Buffer.from("o\n\n")))).toEqual(["two", ""]);
    expect(splitter.end()).toEqual([]);
  });

  test("is returned once, at the end, if it has no LF", () => {
    const splitter = createLineSplitter();
    splitter.push(Buffer.from("one\ntwo"));
    expect(splitter.end()).toEqual([{ kind: "text", text: "two", end: 7 }]);
    expect(splitter.end()).toEqual([]);
  });

  test("is not split at U+2028, U+2029, U+0085, a form feed or a lone CR", () => {
    const text = "a\u2028b\u2029c\u0085d\fe\rf";
    expect(texts(split([`${text}\n`]))).toEqual([text]);
  });

  test("loses one CR before its LF, even if the CR is in another chunk", () => {
    expect(texts(split(["one\r\n\r\ntwo\r", "\nthree\r\r\nfour\r"]))).toEqual([
      "one",
      "",
      "two",
      "three\r",
      "four\r",
    ]);
  });

  test("has an offset in bytes, not characters", () => {
    expect(split(["äöü\n😀\n→"], { from: 100 })).toEqual([
      { kind: "text", text: "äöü", end: 107 },
      { kind: "text", text: "😀", end: 112 },
      { kind: "text", text: "→", end: 115 },
    ]);
  });

  test("is decoded correctly if a character is split between chunks", () => {
    const bytes = Buffer.from("a😀b\n");
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(split(single)).toEqual([{ kind: "text", text: "a😀b", end: 7 }]);
  });

  test("survives the reuse of the chunk's memory", () => {
    const splitter = createLineSplitter();
    const memory = Buffer.from("begin");
    splitter.push(memory);
    memory.fill("x");
    expect(texts(splitter.push(Buffer.from("ning\n")))).toEqual(["beginning"]);
  });
});

describe("invalid UTF-8", () => {
  test("becomes U+FFFD, and only the affected lines are marked", () => {
    const bad = Buffer.from([0x62, 0xff, 0x0a]);
    expect(split([Buffer.concat([Buffer.from("ä\n"), bad, Buffer.from("\ufffd\n")])])).toEqual([
      { kind: "text", text: "ä", end: 3 },
      { kind: "text", text: "b\ufffd", end: 6, invalidUtf8: true },
      { kind: "text", text: "\ufffd", end: 10 },
    ]);
  });

  test("does not swallow the LF after a truncated character", () => {
    expect(split([Uint8Array.of(0xe2, 0x82, 0x0a, 0x61, 0x0a)])).toEqual([
      { kind: "text", text: "\ufffd", end: 3, invalidUtf8: true },
      { kind: "text", text: "a", end: 5 },
    ]);
  });
});

describe("a line over the limit", () => {
  test("is reported once, and the next line is read as usual", () => {
    const expected = [
      { kind: "text", text: "12345", end: 6 },
      { kind: "too-long", bytes: 6, end: 13 },
      { kind: "text", text: "ok", end: 16 },
    ];
    expect(split(["12345\n123456\nok\n"], { maxBytes: 5 })).toEqual(expected);
    expect(split(["12345", "\n123", "45", "6", "\nok\n"], { maxBytes: 5 })).toEqual(expected);
  });

  test("is reported at the end if it has no LF", () => {
    expect(split(["1234", "56"], { maxBytes: 5 })).toEqual([
      { kind: "too-long", bytes: 6, end: 6 },
    ]);
  });
});

test("returns a line of 50 MiB that arrives in small chunks within 5 s", { timeout: 5_000 }, () => {
  const chunk = Buffer.alloc(64 * 1024, "x");
  const splitter = createLineSplitter();
  for (let i = 0; i < 800; i++) expect(splitter.push(chunk)).toHaveLength(0);
  const [line] = splitter.push(Buffer.from("\n"));
  expect(line).toMatchObject({ kind: "text", end: 50 * 1024 * 1024 + 1 });
});

test("returns every line of a chunk that is longer than one span", () => {
  const text = Array.from({ length: 300_000 }, (_, i) => `line ${i}`);
  const lines = split([text.join("\n")]);
  expect(texts(lines)).toEqual(text);
  expect(lines.at(-1)?.end).toBe(text.join("\n").length);
});

describe("for any bytes", () => {
  const piece = fc.oneof(
    fc.constantFrom("\n", "\r\n", "\r", "a", "{}", "ä", "→", "😀", "\u2028", "\ufffd", "12345678"),
    fc.uint8Array({ maxLength: 4 }),
  );
  const bytes = fc
    .array(piece, { maxLength: 60, size: "max" })
    .map((pieces) => Buffer.concat(pieces.map((one) => Buffer.from(one))));
  const cuts = fc.array(fc.nat(200), { maxLength: 20, size: "max" });
  const options = fc.record({ from: fc.nat(), maxBytes: fc.constantFrom(3, 10, 1000) });

  function cut(whole: Buffer, at: number[]): Buffer[] {
    const borders = [0, ...at.toSorted((a, b) => a - b), whole.length];
    return borders.slice(1).map((border, i) => whole.subarray(borders[i], border));
  }

  test("returns the same lines as a byte-by-byte implementation", () => {
    fc.assert(
      fc.property(bytes, options, (whole, limits) => {
        expect(split([whole], limits)).toEqual(slowly(whole, limits.from, limits.maxBytes));
      }),
    );
  });

  test("returns the same lines regardless of how the bytes are split into chunks", () => {
    fc.assert(
      fc.property(bytes, cuts, options, (whole, at, limits) => {
        expect(split(cut(whole, at), limits)).toEqual(split([whole], limits));
      }),
    );
  });

  test("continues from the end of any line", () => {
    fc.assert(
      fc.property(bytes, options, (whole, limits) => {
        const lines = split([whole], limits);
        for (const [i, { end }] of lines.entries()) {
          const rest = split([whole.subarray(end - limits.from)], { ...limits, from: end });
          expect(rest).toEqual(lines.slice(i + 1));
        }
      }),
    );
  });

  /** A slow but simple reference implementation. */
  function slowly(whole: Buffer, from: number, maxBytes: number): Line[] {
    const lines: Line[] = [];
    let start = 0;
    while (start < whole.length) {
      const lf = whole.indexOf(10, start);
      const stop = lf === -1 ? whole.length : lf;
      const line = whole.subarray(start, stop);
      const end = from + stop + (lf === -1 ? 0 : 1);
      const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(line);
      const text = lf === -1 ? decoded : decoded.replace(/\r$/, "");
      const valid = Buffer.from(decoded).equals(line);
      if (line.length > maxBytes) lines.push({ kind: "too-long", bytes: line.length, end });
      else lines.push({ kind: "text", text, end, ...(valid ? {} : { invalidUtf8: true }) });
      start = stop + 1;
    }
    return lines;
  }
});

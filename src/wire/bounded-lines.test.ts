import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedLines } from "./bounded-lines.ts";

const maxBytes = 60;

async function pass(chunks: readonly string[]): Promise<{ passed: string; answers: unknown[] }> {
  const output = new PassThrough();
  const input = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const passed = await text(boundedLines(input, output, { maxBytes }));
  const written: Buffer | null = output.read();
  const lines = (written?.toString() ?? "").split("\n").filter((line) => line !== "");
  return { passed, answers: lines.map((line) => JSON.parse(line)) };
}

const long = "x".repeat(100);

test.each([
  [{ jsonrpc: "2.0", id: 7, method: "m", params: { long } }, 7],
  [{ method: "m", params: { long }, jsonrpc: "2.0", id: "seven" }, "seven"],
  [{ jsonrpc: "2.0", method: "m", id: 7, params: { long } }, 7],
  [{ jsonrpc: "2.0", method: "m", params: { id: 1, long } }, null],
  [{ jsonrpc: "2.0", id: 7, result: { long, method: "m" } }, null],
  [long, null],
])("answers the oversized line %j with an error for request %j", async (message, id) => {
  const line = JSON.stringify(message);
  const { passed, answers } = await pass([`{"a":1}\n${line}\n{"b":2}\n`]);
  expect(passed).toBe('{"a":1}\n{"b":2}\n');
  const data = { code: "invalid_input", bytes: line.length, maxBytes };
  expect(answers).toEqual([
    { jsonrpc: "2.0", id, error: { code: -32600, message: expect.any(String), data } },
  ]);
});

test("passes only the lines within the limit, unchanged, independent of the chunks", async () => {
  const line = fc.stringMatching(/^[a-zäß]{0,80}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 40 }), async (lines, size) => {
      const whole = lines.map((each) => `${each}\n`).join("");
      const chunks = whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const short = lines.filter((each) => Buffer.byteLength(each) <= maxBytes);
      const { passed, answers } = await pass(chunks);
      expect(passed).toBe(short.map((each) => `${each}\n`).join(""));
      expect(answers).toHaveLength(lines.length - short.length);
    }),
  );
});

test("passes the last partial line and ends when the input is destroyed", async () => {
  const input = new PassThrough();
  const lines = boundedLines(input, new PassThrough());
  input.write("a\nb");
  setImmediate(() => input.destroy());
  expect(await text(lines)).toBe("a\nb\n");
});

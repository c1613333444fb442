import { expect, test } from "vitest";
import { createPartialLine } from "./partial-line.ts";

test("joins pieces, and starts over after take()", () => {
  const partial = createPartialLine(100);
  for (const piece of ["be", "", "gin"]) partial.add(Buffer.from(piece));
  expect(partial.bytes).toBe(5);
  expect(partial.take()?.toString()).toBe("begin");
  expect(partial.bytes).toBe(0);
  partial.add(Buffer.from("next"));
  expect(partial.take()?.toString()).toBe("next");
});

test("returns a line at the limit, and only counts the bytes of a longer one", () => {
  const partial = createPartialLine(4);
  partial.add(Buffer.from("1234"));
  expect(partial.take()?.toString()).toBe("1234");
  partial.add(Buffer.from("1234"));
  partial.add(Buffer.from("5"));
  partial.add(Buffer.from("6"));
  expect(partial.bytes).toBe(6);
  expect(partial.take()).toBeUndefined();
});

test("allocates little memory for a line far above the limit", () => {
  const partial = createPartialLine(1024);
  const piece = Buffer.alloc(1024 * 1024);
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 500; i++) partial.add(piece);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * piece.length);
  expect(partial.bytes).toBe(500 * piece.length);
});

test("joins a million single-byte pieces", () => {
  const partial = createPartialLine(64 * 1024 * 1024);
  const piece = Buffer.from("x");
  for (let i = 0; i < 1_000_000; i++) partial.add(piece);
  expect(partial.take()?.toString()).toBe("x".repeat(1_000_000));
});

test("frees a huge line's memory after take()", () => {
  const partial = createPartialLine(64 * 1024 * 1024);
  partial.add(Buffer.alloc(1024 * 1024));
  partial.take();
  partial.add(Buffer.from("x"));
  expect(partial.take()?.buffer.byteLength).toBeLessThan(1024 * 1024);
});

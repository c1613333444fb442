import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createSink, isBrokenPipe } from "./sink.ts";

test("a slow reader holds the writer up", async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const sink = createSink(stream, {});
  let isWritten = false;
  const writing = sink.write("more than fits").then(() => {
    isWritten = true;
  });
  await new Promise(setImmediate);
  expect(isWritten).toBe(false);
  stream.resume();
  await writing;
});

test("a reader that goes away closes the sink, and writing to it is no error", async () => {
  const reader = spawn("true", { stdio: ["pipe", "ignore", "ignore"] });
  await once(reader, "exit");
  const sink = createSink(reader.stdin, {});
  await sink.write("x");
  await expect.poll(() => sink.closed.aborted).toBe(true);
  expect(isBrokenPipe(sink.closed.reason)).toBe(true);
  await sink.write("y");
});

test.each([
  [{}, false],
  [{ FORCE_COLOR: "1" }, true],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false],
  [{ FORCE_COLOR: "0" }, false],
  [{ CI: "true" }, false],
])("with %j in the environment a pipe has colours: %j", (env, expected) => {
  expect(createSink(new PassThrough(), env).colors.isColorSupported).toBe(expected);
});

test("a terminal has colours, unless it is dumb or they are not wanted", () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 40 });
  const colours = [{}, { TERM: "dumb" }, { NO_COLOR: "1" }].map(
    (env) => createSink(terminal, env).colors.red("x") !== "x",
  );
  expect(colours).toEqual([true, false, false]);
  expect(createSink(terminal, {}).columns).toBe(40);
});

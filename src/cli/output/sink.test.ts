import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createSink, isBrokenPipe } from "./sink.ts";

test("write waits until a slow reader has read the text", async () => {
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

test("closes when the reader exits, and ignores later writes", async () => {
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
])("with %j in the environment, colors are enabled for a pipe: %j", (env, expected) => {
  expect(createSink(new PassThrough(), env).colors.isColorSupported).toBe(expected);
});

test("enables colors on a TTY, except with TERM=dumb or NO_COLOR", () => {
  const tty = Object.assign(new PassThrough(), { isTTY: true, columns: 40 });
  const colors = [{}, { TERM: "dumb" }, { NO_COLOR: "1" }].map(
    (env) => createSink(tty, env).colors.red("x") !== "x",
  );
  expect(colors).toEqual([true, false, false]);
  expect(createSink(tty, {}).columns).toBe(40);
});

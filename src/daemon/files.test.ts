import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { logSize, openLog, readLogSince } from "./log.ts";
import { prepareSocketPath } from "./socket-path.ts";
import { readToken } from "./token.ts";

const now = () => new Date("2030-01-02T03:04:05Z");

test("redacts keys in the log file, makes the file private, and rotates it at the size limit", async () => {
  const file = join(await temporaryDirectory(), "daemon.log");
  const log = openLog(file, { now, env: { SOME_API_KEY: "sk-very-secret" }, maxBytes: 200 });
  log("said sk-very-secret\nto all");
  const text = await readFile(file, "utf8");
  expect(text).toMatch(/^2030-01-02T03:04:05\.000Z said \S+\n {2}to all\n$/);
  expect(text).not.toContain("sk-very-secret");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  for (let line = 0; line < 100; line++) log(`line ${line}`);
  expect(logSize(file)).toBeLessThan(300);
  expect(logSize(`${file}.1`)).toBeLessThan(300);
  expect(await readLogSince(file, 0)).toMatch(/line 99$/);
});

test("does not throw if the log file cannot be written", async () => {
  const log = openLog(join(await temporaryDirectory(), "nowhere", "daemon.log"), { now, env: {} });
  log("into the void");
});

test("puts the socket into a private directory instead of the home if the home's path is too long", async () => {
  const directory = await temporaryDirectory();
  const env = { XDG_RUNTIME_DIR: join(directory, "run") };
  expect(await prepareSocketPath(join(directory, "home"), env)).toBe(
    join(directory, "home", "daemon.sock"),
  );
  const long = join(directory, "long".repeat(30));
  const path = await prepareSocketPath(long, env);
  expect(path.startsWith(join(directory, "run", "halyard-"))).toBe(true);
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
  expect(await prepareSocketPath(long, env)).toBe(path);
  expect(await prepareSocketPath(`${long}2`, env)).not.toBe(path);
  await chmod(join(path, ".."), 0o755);
  await expect(prepareSocketPath(long, env)).rejects.toThrow("Other users can access");
});

test.each(["", "run", "./run"])(
  "ignores XDG_RUNTIME_DIR=%j, which is not absolute",
  async (dir) => {
    const long = join(await temporaryDirectory(), "long".repeat(30));
    const path = await prepareSocketPath(long, { XDG_RUNTIME_DIR: dir });
    expect(isAbsolute(path)).toBe(true);
    expect(path).toBe(await prepareSocketPath(long, {}));
  },
);

test("creates the token once, readable only by the user, and rejects an empty token file", async () => {
  const file = join(await temporaryDirectory(), "token");
  const token = await readToken(file);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(await readToken(file)).toBe(token);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await writeFile(file, "\n");
  await expect(readToken(file)).rejects.toThrow(/Remove it/);
  await mkdir(`${file}-taken`);
  await expect(readToken(`${file}-taken`)).rejects.toThrow();
});

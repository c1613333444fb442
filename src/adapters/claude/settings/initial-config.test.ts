import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { InitialConfig } from "./initial-config.ts";

test("reuses the initial configuration only for the same Claude version", async () => {
  const [runtimes, first, second] = await newDirectories();
  const config = new InitialConfig(runtimes, "1.0.0");
  expect(await config.copyTo(first)).toBe(false);
  await writeFile(join(first, ".claude.json"), '{"migrationVersion":15}');
  await config.saveFrom(first, ["/some/project"]);
  expect(await config.copyTo(second)).toBe(true);
  expect(await readFile(join(second, ".claude.json"), "utf8")).toBe('{"migrationVersion":15}');
  expect(await new InitialConfig(runtimes, "1.0.1").copyTo(second)).toBe(false);
});

test("saves one complete file if several sessions save at the same time", async () => {
  const runtimes = await temporaryDirectory();
  const config = new InitialConfig(runtimes, "1.0.0");
  const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(100_000 + index));
  await Promise.all(
    texts.map(async (text) => {
      const directory = await temporaryDirectory();
      await writeFile(join(directory, ".claude.json"), text);
      await config.saveFrom(directory, []);
    }),
  );
  expect(await readdir(join(runtimes, ".claude-config"))).toEqual(["1.0.0.json"]);
  expect(texts).toContain(await readFile(join(runtimes, ".claude-config", "1.0.0.json"), "utf8"));
});

test("does not save a file that contains the session's own values", async () => {
  const [runtimes, first, second] = await newDirectories();
  const config = new InitialConfig(runtimes, "1.0.0");
  await writeFile(join(first, ".claude.json"), '{"projects":{"/work/secret-project":{}}}');
  await config.saveFrom(first, ["/work/secret-project"]);
  expect(await config.copyTo(second)).toBe(false);
});

async function newDirectories(): Promise<[string, string, string]> {
  return [await temporaryDirectory(), await temporaryDirectory(), await temporaryDirectory()];
}

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { FirstNotes } from "./first-notes.ts";

test("notes are kept for the version that wrote them", async () => {
  const [runtimes, first, second] = await newDirectories();
  const notes = new FirstNotes(runtimes, "1.0.0");
  expect(await notes.copyTo(first)).toBe(false);
  await writeFile(join(first, ".claude.json"), '{"migrationVersion":15}');
  await notes.takeFrom(first, ["/somebody's/project"]);
  expect(await notes.copyTo(second)).toBe(true);
  expect(await readFile(join(second, ".claude.json"), "utf8")).toBe('{"migrationVersion":15}');
  expect(await new FirstNotes(runtimes, "1.0.1").copyTo(second)).toBe(false);
});

test("of sessions that start at once, the notes of one are kept, whole", async () => {
  const runtimes = await temporaryDirectory();
  const notes = new FirstNotes(runtimes, "1.0.0");
  const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(100_000 + index));
  await Promise.all(
    texts.map(async (text) => {
      const directory = await temporaryDirectory();
      await writeFile(join(directory, ".claude.json"), text);
      await notes.takeFrom(directory, []);
    }),
  );
  expect(await readdir(join(runtimes, ".claude-notes"))).toEqual(["1.0.0.json"]);
  expect(texts).toContain(await readFile(join(runtimes, ".claude-notes", "1.0.0.json"), "utf8"));
});

test("notes with something of the session's own in them are not kept", async () => {
  const [runtimes, first, second] = await newDirectories();
  const notes = new FirstNotes(runtimes, "1.0.0");
  await writeFile(join(first, ".claude.json"), '{"projects":{"/work/secret-project":{}}}');
  await notes.takeFrom(first, ["/work/secret-project"]);
  expect(await notes.copyTo(second)).toBe(false);
});

async function newDirectories(): Promise<[string, string, string]> {
  return [await temporaryDirectory(), await temporaryDirectory(), await temporaryDirectory()];
}

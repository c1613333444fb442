import { execFileSync } from "node:child_process";
import { appendFile, mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { createLocalHost } from "../../hosts/local/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import {
  listUserRecords,
  readUserRecord,
  requireUserRecord,
  toTitle,
  type UserRecords,
} from "./user-records.ts";

const Entry = z.looseObject({ cwd: z.string().optional(), title: z.string().optional() });

function recordsIn(root: string): UserRecords {
  return {
    root,
    depth: 1,
    idOf: (name) => /^(\w+)\.jsonl$/.exec(name)?.[1],
    describe: (entries) => {
      const parsed = entries.flatMap((entry) => {
        const { data } = Entry.safeParse(entry);
        return data ? [data] : [];
      });
      const cwd = parsed.find((one) => one.cwd !== undefined)?.cwd;
      const title = parsed.findLast((one) => one.title !== undefined)?.title;
      return cwd === undefined ? undefined : { cwd, ...(title !== undefined && { title }) };
    },
  };
}

const everything = {
  host: createLocalHost(),
  limit: 10,
  except: new Set<string>(),
  env: {},
  options: {},
};

async function newRecords() {
  const root = join(await temporaryDirectory(), "records");
  await mkdir(join(root, "project"), { recursive: true });
  const write = async (id: string, lines: readonly string[], day = 1) => {
    const file = join(root, "project", `${id}.jsonl`);
    await writeFile(file, lines.join("\n"));
    await utimes(file, 0, new Date(`2026-11-0${day}`));
    return file;
  };
  const list = (query: object = {}) =>
    listUserRecords(recordsIn(root), { ...everything, ...query });
  return { root, write, list };
}

const at = (cwd: string) => JSON.stringify({ cwd });

test("lists the newest record first, and filters by limit, excluded ids, directory and id prefix", async () => {
  const { write, list } = await newRecords();
  await write("one", [at("/a")], 1);
  await write("two", [at("/b")], 2);
  await write("three", [at("/a")], 3);
  const ids = async (query: object = {}) => (await list(query)).map(({ id }) => id);
  expect(await ids()).toEqual(["three", "two", "one"]);
  expect(await ids({ limit: 1 })).toEqual(["three"]);
  expect(await ids({ except: new Set(["three"]), limit: 1 })).toEqual(["two"]);
  expect(await ids({ cwd: "/a" })).toEqual(["three", "one"]);
  expect(await ids({ id: "t" })).toEqual(["three", "two"]);
  expect(await list({ id: "one" })).toEqual([
    { id: "one", cwd: "/a", updatedAt: "2026-11-01T00:00:00.000Z" },
  ]);
});

test("finds the records of a directory whose path contains a link", async () => {
  const { root, write, list } = await newRecords();
  const [real, link] = [join(root, "real"), join(root, "link")];
  await mkdir(real);
  await symlink(real, link);
  await write("one", [at(real)]);
  await write("two", [at(link)]);
  expect(await list({ cwd: link })).toHaveLength(2);
});

test("reads the beginning and the end of a large record", async () => {
  const { write, list } = await newRecords();
  const file = await write("one", [at("/a"), JSON.stringify({ text: "x".repeat(1_000_000) }), ""]);
  await appendFile(file, JSON.stringify({ title: "the end" }));
  expect(await list()).toMatchObject([{ cwd: "/a", title: "the end" }]);
});

test("ignores links, pipes and directories", async () => {
  const { root, write, list } = await newRecords();
  await write("one", [at("/a")]);
  const project = join(root, "project");
  await symlink(join(project, "one.jsonl"), join(project, "link.jsonl"));
  await symlink(root, join(root, "loop"));
  await mkdir(join(project, "directory.jsonl"));
  execFileSync("mkfifo", [join(project, "pipe.jsonl")]);
  expect((await list()).map(({ id }) => id)).toEqual(["one"]);
});

test("lists nothing if the directory of the records is missing", async () => {
  const missing = recordsIn(join(await temporaryDirectory(), "missing"));
  expect(await listUserRecords(missing, everything)).toEqual([]);
});

test("reads the record with exactly the given id, and refuses to read a link", async () => {
  const { root, write } = await newRecords();
  await write("one", [at("/a")]);
  const record = await requireUserRecord(recordsIn(root), "one", "Heron");
  expect(readUserRecord(record)).toBe(at("/a"));
  await expect(requireUserRecord(recordsIn(root), "on", "Heron")).rejects.toMatchObject({
    code: "runtime_session_not_found",
    message: `Heron has no session "on" in ${root}. Run "halyard runtime sessions RUNTIME --all" to list the recorded sessions, or start a new session.`,
  });
  const linked = { ...record, path: "project/link.jsonl" };
  await symlink(join(root, "project", "one.jsonl"), join(root, linked.path));
  expect(() => readUserRecord(linked)).toThrow("is not a regular file");
});

test("finds archived records, and prefers a record that is not archived", async () => {
  const { root, write } = await newRecords();
  const archive = { root: join(dirname(root), "archive"), depth: 0 };
  await mkdir(archive.root);
  const records = { ...recordsIn(root), archive };
  await write("one", [at("/a")], 1);
  await writeFile(join(archive.root, "one.jsonl"), at("/b"));
  await writeFile(join(archive.root, "two.jsonl"), at("/b"));
  await utimes(join(archive.root, "two.jsonl"), 0, new Date("2026-11-02"));
  const found = await listUserRecords(records, everything);
  expect(found).toMatchObject([
    { id: "two", cwd: "/b" },
    { id: "one", cwd: "/a" },
  ]);
  expect(readUserRecord(await requireUserRecord(records, "two", "Heron"))).toBe(at("/b"));
  await expect(requireUserRecord(records, "three", "Heron")).rejects.toThrow(
    `Heron has no session "three" in ${root} or ${archive.root}.`,
  );
});

test("never throws, whatever a record contains", async () => {
  const { write, list } = await newRecords();
  const line = fc.oneof(fc.string(), fc.json(), fc.constant(at("/a")));
  await fc.assert(
    fc.asyncProperty(fc.array(line), async (lines) => {
      await write("one", lines);
      expect((await list()).length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["Fix the tests", "Fix the tests"],
  ["\n  Fix \nthe tests", "Fix"],
  ["🦅".repeat(200), `${"🦅".repeat(119)}…`],
  [" \n", undefined],
  [undefined, undefined],
])("derives a title from %j", (text, title) => {
  expect(toTitle(text)).toBe(title);
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Halyard } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { exportArchive } from "./export-archive.ts";
import { importArchive } from "./import-archive.ts";

const open = (home: string) => createHalyard({ home, env: {}, adapters: [fakeAdapter()] });

async function eventsOf(halyard: Halyard, id: string): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of halyard.events(id, { follow: false })) events.push(event);
  return events;
}

/** Creates a home with two ended sessions, and an archive of both. */
async function archived() {
  const home = await temporaryDirectory();
  const file = join(home, "work.halyard");
  const ids: string[] = [];
  {
    await using halyard = await open(home);
    for (const name of ["one", "two"]) {
      const session = await halyard.start({
        runtime: "fake",
        cwd: home,
        name,
        permissions: "allow-all",
      });
      await session.send({ text: "say lighthouse", files: [{ name: "a.txt", text: "attached" }] })
        .outcome;
      await session.send("sh echo key-0123456789").outcome;
      await session.stop();
      ids.push(session.id);
    }
  }
  const env = { SOME_API_KEY: "key-0123456789" };
  const summary = await exportArchive(file, { home, sessions: ids, env });
  expect(summary).toMatchObject({ sessions: [{ name: "one" }, { name: "two" }], attachments: 2 });
  return { home, file, ids };
}

test("copies sessions with their events and attachments to another home, without keys", async () => {
  const { home, file, ids } = await archived();
  const other = join(await temporaryDirectory(), "new");
  const imported = await importArchive(file, { home: other });
  expect(imported.sessions.map(({ id }) => id)).toEqual(ids);
  await using before = await open(home);
  await using after = await open(other);
  for (const id of ids) {
    const events = JSON.stringify(await eventsOf(before, id));
    const redacted = events.replaceAll("key-0123456789", "[redacted]");
    expect(redacted).not.toBe(events);
    expect(await eventsOf(after, id)).toEqual(JSON.parse(redacted));
    const info = await before.find(id);
    expect(await after.find(id)).toMatchObject({ ...info, resumable: false, about: info?.about });
    const [hash = ""] = /"sha256":"(\w+)"/.exec(events)?.slice(1) ?? [];
    expect(await readFile(join(other, "attachments", id, hash), "utf8")).toBe("attached");
  }
  expect((await after.search("lighthouse")).hits).toHaveLength(4);
  expect(gunzipSync(await readFile(file)).includes("key-0123456789")).toBe(false);
  await after.remove(ids[0] ?? "");
  expect(await after.sessions()).toHaveLength(1);
});

test("imports nothing if a session already exists", async () => {
  const { home, file, ids } = await archived();
  {
    await using halyard = await open(home);
    await halyard.remove(ids[0] ?? "");
  }
  await expect(importArchive(file, { home })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(`halyard rm ${ids[1]}`),
  });
  await using halyard = await open(home);
  expect((await halyard.sessions()).map(({ id }) => id)).toEqual([ids[1]]);
});

test("imports nothing from an archive that is missing, truncated, modified or of another version", async () => {
  const { file } = await archived();
  const whole = await readFile(file);
  const lines = gunzipSync(whole).toString().trimEnd().split("\n");
  const damages = [
    whole.subarray(0, whole.length / 2),
    Buffer.from("not an archive"),
    gzipSync(`${lines.slice(0, -1).join("\n")}\n`),
    gzipSync(lines.filter((line) => !line.includes('"seq":3,')).join("\n")),
    gzipSync(lines.slice(1).join("\n")),
    gzipSync(lines.join("\n").replaceAll(Buffer.from("attached").toString("base64"), "AAAA")),
    gzipSync(lines.join("\n").replace('"version":1', '"version":2')),
  ];
  const home = await temporaryDirectory();
  for (const damage of damages) {
    await writeFile(file, damage);
    await expect(importArchive(file, { home })).rejects.toMatchObject({ code: "invalid_input" });
  }
  await using halyard = await open(home);
  expect(await halyard.sessions()).toEqual([]);
  const missing = importArchive(join(home, "none"), { home });
  await expect(missing).rejects.toMatchObject({ message: expect.stringContaining("no such file") });
});

test("names the second header as the reason when it rejects an archive with two headers", async () => {
  const { file } = await archived();
  const lines = gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split("\n");
  await writeFile(file, gzipSync([lines[0], ...lines].join("\n")));
  const home = await temporaryDirectory();
  await expect(importArchive(file, { home })).rejects.toMatchObject({
    message: expect.stringContaining("it has a second header"),
  });
});

test("rejects the export of a session while a turn is running", async () => {
  const home = await temporaryDirectory();
  await using halyard = await open(home);
  const session = await halyard.start({ runtime: "fake", cwd: home });
  await session.send("hang").accepted;
  await expect(
    exportArchive(join(home, "x"), { home, sessions: [session.id] }),
  ).rejects.toMatchObject({ message: expect.stringContaining(`halyard stop ${session.id}`) });
});

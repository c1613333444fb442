import { mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { samplePayload } from "../../testing/sample-payload.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { fileSink } from "./file-sink.ts";

const id = "ses_0000000000000001:SessionStart:1";
const { signal } = new AbortController();

test("appends payloads to the file and makes it readable by its owner only", async () => {
  const cwd = await temporaryDirectory();
  const sink = fileSink({ file: "log/hooks.jsonl" }, { cwd });
  const payloads = [samplePayload(), samplePayload({ event: "OnError", data: { seq: 2 } })];
  for (const payload of payloads) await sink.deliver(payload, { id, signal });

  const path = join(cwd, "log/hooks.jsonl");
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(payloads);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("rejects a relative path that leads outside the working directory, including through links", async () => {
  const top = await temporaryDirectory();
  const cwd = join(top, "work");
  await mkdir(cwd);
  await symlink(top, join(cwd, "log"));
  await symlink(join(top, "by-link"), join(cwd, "dangling.jsonl"));
  for (const file of ["log/x.jsonl", "dangling.jsonl", "../x.jsonl"])
    await expect(
      Promise.resolve(fileSink({ file }, { cwd })).then((sink) =>
        sink.deliver(samplePayload(), { id, signal }),
      ),
    ).rejects.toMatchObject({ code: "invalid_input" });
  expect(await readdir(top)).toEqual(["work"]);
});

test("writes to an absolute path, including through symbolic links", async () => {
  const top = await temporaryDirectory();
  await symlink(join(top, "real.jsonl"), join(top, "link.jsonl"));
  await fileSink({ file: join(top, "link.jsonl") }, { cwd: "/nowhere" }).deliver(samplePayload(), {
    id,
    signal,
  });
  expect(await readFile(join(top, "real.jsonl"), "utf8")).toContain("\n");
});

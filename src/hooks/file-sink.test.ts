import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { samplePayload } from "../testing/sample-payload.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { fileSink } from "./file-sink.ts";

test("payloads are added to the file, which only its owner can read", async () => {
  const cwd = await temporaryDirectory();
  const { signal } = new AbortController();
  const sink = fileSink({ file: "log/hooks.jsonl" }, { cwd });
  const payloads = [samplePayload(), samplePayload({ event: "OnError", data: { seq: 2 } })];
  for (const payload of payloads) await sink.deliver(payload, { signal });

  const path = join(cwd, "log/hooks.jsonl");
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(payloads);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newSessionId } from "../../errors/require-id.ts";
import { samplePng } from "../../testing/sample-image.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { attachmentFiles } from "./attachment-files.ts";
import { messageParts } from "./message-parts.ts";

const { attached } = messageParts({ text: "look", images: [{ data: samplePng }] });
const [first] = attached;
if (first === undefined) throw new Error("no attachment");
const { attachment, content } = first;

test("keeps one private copy of an attachment for all sessions until the last session removes it", async () => {
  const home = await temporaryDirectory();
  const machine = { home, directories: () => ({ run: home, state: home }) };
  const [one, other] = [newSessionId(), newSessionId()].map((id) => attachmentFiles(machine, id));
  if (!one || !other) throw new Error("no session");
  one.keep(attached);
  one.keep(attached);
  other.keep(attached);
  const shared = join(home, "attachments", attachment.sha256);
  expect(statSync(shared)).toMatchObject({ nlink: 3, size: content.length });
  expect(statSync(shared).mode & 0o777).toBe(0o600);
  expect(await other.read(attachment)).toEqual(content);
  await one.remove();
  expect(await other.read(attachment)).toEqual(content);
  await expect(one.read(attachment)).rejects.toMatchObject({ code: "store_corrupt" });
  await other.remove();
  await other.remove();
  expect(readdirSync(join(home, "attachments"))).toEqual([]);
});

test("stores an attachment in the run directory if there is no home directory", async () => {
  const run = join(await temporaryDirectory(), "run");
  mkdirSync(run);
  const files = attachmentFiles({ directories: () => ({ run, state: run }) }, newSessionId());
  files.keep(attached);
  expect(await files.read(attachment)).toEqual(content);
  expect(readdirSync(run)).toEqual(["attachments"]);
});

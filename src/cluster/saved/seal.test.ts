import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { createSeal, plain, readClusterKey } from "./seal.ts";

test("decrypts only unchanged content that was sealed with the same key for the same location", () => {
  const content = randomBytes(100_000);
  const seal = createSeal(Buffer.alloc(32, 1));
  const sealed = seal.seal(content, "place");
  expect(sealed.includes(content.subarray(0, 16))).toBe(false);
  expect(seal.open(sealed, "place").equals(content)).toBe(true);
  expect(seal.seal(content, "place").equals(sealed)).toBe(false);
  const changed = Buffer.from(sealed);
  changed[50] = (changed[50] ?? 0) ^ 1;
  const other = createSeal(Buffer.alloc(32, 2));
  for (const open of [
    () => seal.open(sealed, "another place"),
    () => seal.open(changed, "place"),
    () => other.open(sealed, "place"),
  ])
    expect(open).toThrow("cannot be decrypted");
});

test("assigns the same name to equal content, and different names with different keys", () => {
  const content = Buffer.from("content");
  const [one, other] = [1, 2].map((fill) => createSeal(Buffer.alloc(32, fill)));
  expect(one?.name(content)).toBe(one?.name(Buffer.from("content")));
  expect(new Set([one?.name(content), other?.name(content), plain.name(content)]).size).toBe(3);
});

test("rejects a key that is too short and a missing key file, and ignores a trailing line break", async () => {
  const file = join(await temporaryDirectory(), "key");
  await expect(readClusterKey(file)).rejects.toMatchObject({ code: "invalid_input" });
  await writeFile(file, "short\n");
  await expect(readClusterKey(file)).rejects.toThrow("openssl rand");
  await writeFile(file, `${"k".repeat(32)}\n`);
  expect(await readClusterKey(file)).toEqual(Buffer.alloc(32, "k"));
});

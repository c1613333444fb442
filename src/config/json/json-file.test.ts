import { execFileSync } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { HalyardError } from "../../errors/error.ts";
import { readJsonFile } from "./json-file.ts";

const Shape = z.strictObject({
  models: z.record(z.string(), z.strictObject({ url: z.url(), size: z.number().optional() })),
  mode: z.enum(["fast", "slow"]).optional(),
  either: z.union([z.string(), z.strictObject({ name: z.string() })]).optional(),
});

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "halyard-config-"));
});
afterAll(() => rm(directory, { recursive: true }));

async function read(text: string | Uint8Array): Promise<unknown> {
  const path = join(directory, "file.json");
  await writeFile(path, text);
  try {
    const file = await readJsonFile(path, () => Shape);
    return { ...file, path: "file.json", warnings: file?.warnings.map(shorten) };
  } catch (error) {
    if (!(error instanceof HalyardError)) throw error;
    return `${error.code}: ${shorten(error.message)}`;
  }
}

const shorten = (text: string): string => text.replaceAll(directory, "");

test("accepts comments, trailing commas and a byte order mark", async () => {
  const text = '\uFEFF// models\n{ "models": { /* none */ "a": { "url": "http://x", }, }, }\n';
  expect(await read(text)).toEqual({
    path: "file.json",
    value: { models: { a: { url: "http://x" } } },
    warnings: [],
  });
});

test("resolves to undefined for a missing file", async () => {
  expect(await readJsonFile(join(directory, "none.json"), () => Shape)).toBeUndefined();
  await writeFile(join(directory, "plain"), "");
  expect(await readJsonFile(join(directory, "plain", "none.json"), () => Shape)).toBeUndefined();
});

test("rejects a directory, and a pipe without a writer", async () => {
  const pipe = join(directory, "pipe.json");
  execFileSync("mkfifo", [pipe]);
  for (const path of [directory, pipe])
    await expect(readJsonFile(path, () => Shape)).rejects.toMatchObject({
      code: "invalid_config",
      message: `${path} is not a regular file. Replace it with a file, or remove it.`,
    });
});

test("states why a file cannot be read", async () => {
  const path = join(directory, "circle.json");
  await symlink(path, path);
  await expect(readJsonFile(path, () => Shape)).rejects.toMatchObject({
    code: "invalid_config",
    message: `${path} cannot be read (ELOOP). Check the file and its permissions.`,
  });
});

test("ignores unknown keys at any depth with a warning", async () => {
  const text = '{\n  "models": { "a": { "url": "http://x", "colour": 1 } },\n  "later": {}\n}';
  expect(await read(text)).toEqual({
    path: "file.json",
    value: { models: { a: { url: "http://x" } } },
    warnings: [
      "/file.json:2:51: models.a.colour is not a known setting and was ignored",
      "/file.json:3:12: later is not a known setting and was ignored",
    ],
  });
});

test.each([
  ["", "/file.json:1:1: the file is empty; expected a JSON object"],
  ["// nothing", "/file.json:1:11: not JSON: value expected"],
  ['{\n  "models": {}\n  "mode": 1\n}', "/file.json:3:3: not JSON: comma expected"],
  ["[]", "/file.json:1:1: expected object, received array"],
  ["{}", "/file.json:1:1: models: expected record, but it is missing"],
  [
    '{ "models": {\n "a": { "url": "nowhere", "size": "big" } } }',
    "/file.json:2:16: models.a.url: expected an http or https URL\n/file.json:2:35: models.a.size: expected number, received string",
  ],
  [
    '{ "models": { "a": {} } }',
    "/file.json:1:20: models.a.url: expected string, but it is missing",
  ],
  ['{ "models": {}, "mode": "sk-secret" }', '/file.json:1:25: mode: expected one of "fast"|"slow"'],
  [
    '{ "models": {}, "either": 7 }',
    "/file.json:1:27: either: expected string, received number, or expected object, received number",
  ],
])("rejects %j with the position and the expected type", async (text, message) => {
  expect(await read(text)).toBe(`invalid_config: ${message}`);
});

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { isSignedIn } from "./sign-in.ts";

const login = '{ "anthropic": { "type": "oauth" } }';
const provider = '{ "providers": {} }';

test.each([
  ["true with a key in the environment", { ANTHROPIC_API_KEY: "sk-ant-planted" }, {}, true],
  ["true with a Pi login", {}, { "auth.json": login }, true],
  ["undefined with only custom providers", {}, { "models.json": provider }, undefined],
  ["false without a key or a login", {}, {}, false],
  ["false with an empty login file", {}, { "auth.json": "{}" }, false],
  ["false with a malformed login file", {}, { "auth.json": "{" }, false],
])("isSignedIn is %s", async (_, variables, files, expected) => {
  const HOME = await temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    const file = join(HOME, ".pi", "agent", name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  expect(await isSignedIn({ HOME, ...variables })).toBe(expected);
});

import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLocalHost } from "../../../hosts/local/index.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { claudeConversation } from "./conversation.ts";

const runtimeSessionId = "0b7c5b1e-0000-4000-8000-000000000000";

/** Creates a user whose `~/.claude` is a link to a directory with settings. */
async function newUser() {
  const home = await temporaryDirectory();
  const settings = join(home, "dotfiles", "claude");
  await mkdir(settings, { recursive: true });
  await writeFile(join(settings, "settings.json"), "{}");
  await symlink(settings, join(home, ".claude"));
  const stateDir = join(home, "state");
  const paths = { cwd: home, host: createLocalHost(), runDir: home, stateDir, runtimeSessionId };
  return { home, settings, paths, copy: claudeConversation({ HOME: home }) };
}

test("reads and writes a transcript in the user's directory if the directory is a link", async () => {
  const { home, settings, paths, copy } = await newUser();
  const path = `user/projects/-work/${runtimeSessionId}.jsonl`;
  const files = [{ path, content: Buffer.from("{}\n") }];
  await copy.write(paths, files);
  const written = join(settings, "projects", "-work", `${runtimeSessionId}.jsonl`);
  expect(await readFile(written, "utf8")).toBe("{}\n");
  expect(await readFile(join(home, ".claude", "settings.json"), "utf8")).toBe("{}");
  expect(await copy.read(paths)).toEqual(files);
});

test("rejects a copied file outside the user's directory", async () => {
  const { paths, copy } = await newUser();
  const files = [{ path: "user/../../evil.jsonl", content: Buffer.from("") }];
  await expect(copy.write(paths, files)).rejects.toThrow("is outside");
});

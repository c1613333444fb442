import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHalyard } from "../../../create-halyard.ts";
import { newSessionId } from "../../../errors/require-id.ts";
import { openSqliteStore } from "../../../stores/sqlite/store.ts";
import { sampleSession } from "../../../testing/sample-session.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";

test("removes the last characters of the key from Claude's files if both Claude and the session's owner have died", async () => {
  const home = await temporaryDirectory();
  const id = newSessionId();
  const config = join(home, "sessions", id, "claude");
  await mkdir(join(home, "run", id), { recursive: true });
  await mkdir(join(config, "backups"), { recursive: true });
  const files = [join(config, ".claude.json"), join(config, "backups", ".claude.json.backup.1")];
  const known = { customApiKeyResponses: { approved: ["the-end-of-the-key"] }, theme: "dark" };
  for (const file of files) await writeFile(file, JSON.stringify(known));
  const info = sampleSession({ id, runtime: "claude", host: "tmux", cwd: home, state: "running" });
  {
    await using store = await openSqliteStore(join(home, "halyard.db"));
    await store.create(info, { pid: 1, startTime: "0", bootId: "another boot" });
  }
  await using halyard = await createHalyard({ home, env: { PATH: process.env.PATH, HOME: home } });
  expect(await halyard.find(id)).toMatchObject({ state: "lost" });
  for (const file of files)
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ theme: "dark" });
});

import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { runtimesDir } from "../../../../test/real/runtimes-dir.ts";
import { createHalyard } from "../../../create-halyard.ts";
import { startScriptedModel } from "../../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";

test("reuses the first session's databases in the next session, without the first session's data", async () => {
  const home = await temporaryDirectory();
  const runtimes = join(home, "halyard", "runtimes");
  await mkdir(runtimes, { recursive: true });
  await symlink(join(runtimesDir, "codex"), join(runtimes, "codex"));
  const halyard = await createHalyard({ home: join(home, "halyard"), env: { HOME: home } });
  const model = await startScriptedModel([{ replies: [{ text: "a word of mine" }] }]);
  onTestFinished(async () => {
    await halyard[Symbol.asyncDispose]();
    await model.close();
  });
  const runSession = async (prompt: string) => {
    const session = await halyard.start({
      runtime: "codex",
      cwd: home,
      permissions: "allow-all",
      model: model.endpoint("openai-responses"),
    });
    expect(await session.send(prompt).outcome).toMatchObject({ status: "completed" });
    await session.stop();
    return join(home, "halyard", "sessions", session.id, "codex");
  };
  await runSession("a secret of the first");
  const [version = ""] = await readdir(join(runtimes, ".codex-databases"));
  const cache = join(runtimes, ".codex-databases", version);
  const names = await readdir(cache);
  expect(names).toContainEqual(expect.stringMatching(/^thread_history_\d+\.sqlite$/));
  for (const name of names) {
    const text = await readFile(join(cache, name), "latin1");
    expect(text).not.toMatch(/a secret of the first|a word of mine/);
  }
  const state = names.find((name) => name.startsWith("state_")) ?? "";
  const marked = new DatabaseSync(join(cache, state));
  marked.exec("CREATE TABLE mark (x)");
  marked.close();
  using given = new DatabaseSync(join(await runSession("go on"), state));
  expect(given.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  expect(given.prepare("SELECT count(*) AS marks FROM mark").get()).toEqual({ marks: 0 });
});

import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { createHalyard } from "../../create-halyard.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";

test("what the first session noted at its start, and nothing of its own, is given to the next", async () => {
  const home = await temporaryDirectory();
  const runtimes = join(home, "halyard", "runtimes");
  await mkdir(runtimes, { recursive: true });
  await symlink(join(runtimesDir, "claude"), join(runtimes, "claude"));
  const halyard = await createHalyard({ home: join(home, "halyard"), env: { HOME: home } });
  const model = await startScriptedModel([{ replies: [{ text: "a word of mine" }] }]);
  onTestFinished(async () => {
    await halyard[Symbol.asyncDispose]();
    await model.close();
  });
  const endpoint = model.endpoint("anthropic");
  const talk = async (prompt: string) => {
    const session = await halyard.start({ runtime: "claude", cwd: home, model: endpoint });
    expect(await session.send(prompt).outcome).toMatchObject({ status: "completed" });
    await session.stop();
    const file = join(home, "halyard", "sessions", session.id, "claude", ".claude.json");
    return JSON.parse(await readFile(file, "utf8"));
  };
  const first = await talk("a secret of the first");
  const [name = ""] = await readdir(join(runtimes, ".claude-notes"));
  const kept = await readFile(join(runtimes, ".claude-notes", name), "utf8");
  expect(name).toBe(`${first.firstStartVersion}.json`);
  expect(kept).not.toContain(home);
  expect(kept).not.toContain(endpoint.apiKey?.slice(-8));
  expect(kept).not.toMatch(/a secret of the first|a word of mine/);
  const second = await talk("go on");
  expect(second).toMatchObject(JSON.parse(kept));
  expect(second.firstStartTime).toBe(first.firstStartTime);
});

import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runtimesDir } from "../../../../test/real/runtimes-dir.ts";
import { createHalyard } from "../../../create-halyard.ts";
import { startScriptedModel } from "../../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";

test("reuses the first session's initial configuration, without the session's own data", async () => {
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
  const runSession = async (prompt: string) => {
    const session = await halyard.start({ runtime: "claude", cwd: home, model: endpoint });
    expect(await session.send(prompt).outcome).toMatchObject({ status: "completed" });
    await session.stop();
    const file = join(home, "halyard", "sessions", session.id, "claude", ".claude.json");
    return JSON.parse(await readFile(file, "utf8"));
  };
  const first = await runSession("a secret of the first");
  const [name = ""] = await readdir(join(runtimes, ".claude-config"));
  const cached = await readFile(join(runtimes, ".claude-config", name), "utf8");
  expect(name).toBe(`${first.firstStartVersion}.json`);
  expect(cached).not.toContain(home);
  expect(cached).not.toContain(endpoint.apiKey?.slice(-8));
  expect(cached).not.toMatch(/a secret of the first|a word of mine/);
  const second = await runSession("go on");
  expect(second).toMatchObject(JSON.parse(cached));
  expect(second.firstStartTime).toBe(first.firstStartTime);
});

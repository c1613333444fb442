import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openScene, shell, typesOf } from "../../../test/opencode/scene.ts";
import { collect } from "../../testing/halyard/fixture.ts";

test("moves a session with a changed model to another server, and keeps the old server for other sessions", async () => {
  const scene = await openScene();
  scene.model.on("greet", { text: "Hello." });
  const [moving, staying] = [await scene.start(), await scene.start()];
  await scene.halyard.update(moving.id, { model: "another" });
  expect(await scene.servers()).toHaveLength(2);
  for (const session of [moving, staying])
    expect((await session.send("greet me").outcome).text).toBe("Hello.");
  expect(scene.model.requests.map(({ model }) => model)).toEqual(["another", "scripted"]);
  await scene.halyard.update(staying.id, { model: "another" });
  expect(await scene.servers()).toHaveLength(1);
  await moving.stop();
  expect((await staying.send("greet me").outcome).text).toBe("Hello.");
  await staying.stop();
  expect(await scene.servers()).toEqual([]);
});

test("applies concurrent changes, and stops a session while a change is being applied", async () => {
  const scene = await openScene();
  scene.model.on("greet", { text: "Hello." });
  const [first, second] = [await scene.start(), await scene.start()];
  const change = (model: string) => scene.halyard.update(first.id, { model });
  await Promise.all([change("one"), change("two"), scene.halyard.update(first.id, { plan: true })]);
  expect((await first.send("greet me").outcome).text).toBe("Hello.");
  expect(scene.model.requests.at(-1)?.model).toBe("two");
  const changing = scene.halyard.update(second.id, { model: "three" });
  await Promise.all([second.stop(), changing.catch(() => {})]);
  await first.stop();
  expect(await scene.servers()).toEqual([]);
});

test("applies a change during a turn to the next turn", async () => {
  const scene = await openScene();
  const wait = shell("until [ -e go ]; do sleep 0.02; done");
  scene.model.on("wait", { toolCalls: [wait] }, { text: "Done." });
  scene.model.on("greet", { toolCalls: [shell("echo hello")] }, { text: "Hello." });
  const session = await scene.start();
  const turn = session.send("wait");
  for await (const { type } of turn) if (type === "tool_call") break;
  await scene.halyard.update(session.id, { permissions: "deny", plan: false });
  await writeFile(join(scene.cwd, "go"), "");
  expect((await turn.outcome).text).toBe("Done.");
  expect(typesOf(await collect(turn), "request")).toEqual([]);
  expect(typesOf(await collect(session.send("greet me")), "request")).toEqual(["request"]);
  await session.stop();
  expect(await scene.servers()).toEqual([]);
});

test("keeps the session's settings if a change fails", async () => {
  const scene = await openScene();
  const { api, apiKey } = scene.model.endpoint("anthropic");
  const session = await scene.start({ model: { api, apiKey } });
  const change = scene.halyard.update(session.id, { model: "no-such-model" });
  await expect(change).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("halyard models opencode"),
  });
  expect(session.info.model).toEqual({ api });
  await scene.halyard.update(session.id, { plan: true });
  await session.stop();
  expect(await scene.servers()).toEqual([]);
});

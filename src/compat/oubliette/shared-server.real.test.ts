import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openServer } from "../../../test/compat/oubliette.ts";

test("runtimes of one project share a server, and the last runtime that is closed stops it [s2.d1.server-per-project]", async () => {
  const { model, open, pids, workingDir } = await openServer("opencode");
  model.on("greet", { text: "Hello." });
  const context = { workingDir, model: "fast", projectID: "garden" };
  const [first, second] = [open(), open()];
  await Promise.all([first, second].map((runtime) => runtime.initialize(context)));
  const [server = Number.NaN, ...others] = await pids();
  expect(others).toEqual([]);
  const results = await Promise.all(
    [first, second].map((runtime) => runtime.execute({ prompt: "greet me" })),
  );
  expect(results).toMatchObject([{ result: "Hello." }, { result: "Hello." }]);
  await first.close();
  expect(await pids()).toEqual([server]);
  await second.ping();
  const third = open();
  await third.initialize(context);
  expect(await pids()).toEqual([server]);

  process.kill(server, "SIGKILL");
  for (const runtime of [second, third])
    await expect.poll(() => runtime.ping().catch(({ code }) => code)).toBe("agent_exited");
  await Promise.all([second, third].map((runtime) => runtime.execute({ prompt: "greet me" })));
  const [next = Number.NaN, ...rest] = await pids();
  expect([next === server, rest]).toEqual([false, []]);
  await third.close();
  await second.ping();
  expect(await pids()).toEqual([next]);
  await second.close();
  expect(await pids()).toEqual([]);
});

test("runtimes of one project in two processes share a server, even after the process that started it has exited", async () => {
  const { root, env, model, open, pids, workingDir } = await openServer("opencode");
  model.on("greet", { text: "Hello." });
  const context = { workingDir, model: "fast", projectID: "garden" };
  const script = fileURLToPath(new URL("../../../test/compat/keep-server.mjs", import.meta.url));
  const other = spawn(process.execPath, [script, JSON.stringify(context)], {
    cwd: root,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void other.kill("SIGKILL"));
  await once(other.stdout, "data");
  const servers = await pids();
  expect(servers).toHaveLength(1);
  const runtime = open();
  await runtime.initialize(context);
  expect(await pids()).toEqual(servers);
  other.stdin.end();
  expect(await once(other, "exit")).toEqual([0, null]);
  expect((await runtime.execute({ prompt: "greet me" })).result).toBe("Hello.");
  expect(await pids()).toEqual(servers);
  await runtime.close();
  expect(await pids()).toEqual([]);
});

import { expect, test } from "vitest";
import { openScene } from "../../test/mcp/scene.ts";
import { newRepository } from "../../test/workspace/repository.ts";

const two = { agent_runtimes: ["fake", "fake"], message: "sh echo $HALYARD_PORT_BASE > port.txt" };

test("races agents in worktrees, ranks them by the check, and adopts the winner's changes", async () => {
  const { call } = await openScene();
  const { root: directory, git } = await newRepository();
  const check = "grep -q 0010 port.txt";
  const started = await call("race_start", { ...two, directory, check, concurrency: 1 });
  expect(started).toMatchObject({ state: "running" });
  const { id: race_id } = started;
  const ended = await call("race_wait", { race_id });
  expect(ended).toMatchObject({
    id: race_id,
    state: "done",
    racers: [{ check: { passed: true } }, { check: { passed: false } }],
  });
  const adopted = await call("session_adopt", { session_id: ended.winner, directory });
  expect(adopted).toMatchObject({ files: 1 });
  expect(await git("status", "-s")).toBe("?? port.txt");
  expect(await call("worktree_prune", { park: true })).toMatchObject({
    worktrees: [{ removed: true }, { removed: true }],
  });
  expect(await call("race_wait", { race_id: "rac_0123456789abcdef" })).toMatchObject({
    error: { code: "race_not_found" },
  });
});

test("races with the client's policy, and forbids checks, other directories and looser races without allow-all", async () => {
  const { root, halyard, call } = await openScene("allow-edits");
  const { root: elsewhere } = await newRepository();
  const forbidden = { error: { code: "forbidden" } };
  expect(await call("race_start", { ...two, check: "true" })).toMatchObject(forbidden);
  expect(await call("race_start", { ...two, directory: elsewhere })).toMatchObject(forbidden);
  expect(await halyard.sessions()).toEqual([]);

  const racers = [{ runtime: "fake", cwd: elsewhere, permissions: "allow-all" } as const];
  const { id: race_id } = await halyard.races.start({ prompt: "wait", racers });
  for (const tool of ["race_wait", "race_cancel"])
    expect(await call(tool, { race_id })).toMatchObject(forbidden);
  for await (const { racers: now } of halyard.races.watch(race_id))
    if (now[0]?.state === "running") break;
  for (const tool of ["race_wait", "race_cancel"])
    expect(await call(tool, { race_id })).toMatchObject(forbidden);
  expect(await halyard.races.cancel(race_id)).toMatchObject({ state: "cancelled" });

  const own = await call("race_start", { ...two, directory: root });
  expect(await call("race_cancel", { race_id: own.id })).toMatchObject({ state: "cancelled" });
  expect(await call("race_wait", { race_id: own.id, wait_ms: 0 })).toMatchObject({
    state: "cancelled",
  });
  const policies = (await halyard.sessions({ labels: { race: String(own.id) } })).map(
    ({ permissions }) => permissions,
  );
  expect(policies.every((policy) => policy === "allow-edits")).toBe(true);
});

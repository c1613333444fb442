import { expect, test } from "vitest";
import { expectWhole, untilInfo } from "../../test/cluster/checks.ts";
import { ClusterScene } from "../../test/cluster/scene.ts";
import type { Halyard, Session } from "../contracts/halyard.ts";
import { until, untilReply } from "../testing/halyard/fixture.ts";

test("places sessions by label or machine name, and lists the sessions of all machines", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two", "gpu");
  const client = await scene.client();
  const onGpu = await start(client, scene, { on: "gpu" });
  const byName = await start(client, scene, { on: "one" });
  expect([onGpu.info.machine, byName.info.machine]).toEqual(["two", "one"]);
  await expect(start(client, scene, { on: "tpu" })).rejects.toMatchObject({
    code: "no_machine",
    message: expect.stringContaining("two (gpu)"),
  });
  await expect
    .poll(() => client.metrics()) // each machine announces its load periodically
    .toMatch(
      /halyard_machine_sessions\{machine="one"\} 1\nhalyard_machine_sessions\{machine="two"\} 1\n/,
    );
  const machines = (await (await scene.client()).sessions()).map(({ machine }) => machine);
  expect(machines.sort()).toEqual(["one", "two"]);
  expect(await onGpu.send("say hello").outcome).toMatchObject({ text: "hello" });
});

test("reports a killed worker's sessions as unreachable, and attaches to them after its restart", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two");
  const client = await scene.client();
  const lost = await start(client, scene, { on: "one" });
  const kept = await start(client, scene, { on: "two" });
  const before = lost.send("say before");
  await before.outcome;
  await scene.signal("one", "SIGKILL");
  const reader = await scene.client(); // the first client may have used the killed worker
  await untilInfo(reader, lost.id, ({ unreachable }) => unreachable === true);
  await expect(reader.stop(lost.id)).rejects.toMatchObject({
    code: "machine_unreachable",
    message: expect.stringContaining("one"),
  });
  const other = await reader.session(kept.id);
  expect(await other.send("say unaffected").outcome).toMatchObject({ text: "unaffected" });
  await scene.work("one");
  await untilInfo(reader, lost.id, ({ state, unreachable }) => state === "idle" && !unreachable);
  const again = await reader.session(lost.id);
  expect(again.info.pid).toBe(lost.info.pid);
  expect(await again.send("say after").outcome).toMatchObject({ text: "after" });
  await expectWhole(reader, lost.id);
});

test("loses no event if a worker is paused until its lease expires", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two");
  const client = await scene.client();
  const session = await start(client, scene, { on: "one" });
  const turn = session.send("wait");
  await until(turn, "system");
  await scene.signal("one", "SIGSTOP");
  const reader = await scene.client();
  await untilInfo(reader, session.id, ({ unreachable }) => unreachable === true);
  await scene.signal("one", "SIGCONT");
  await untilInfo(reader, session.id, ({ unreachable }) => unreachable === undefined);
  const again = await reader.session(session.id);
  await again.interrupt();
  await untilInfo(reader, session.id, ({ state }) => state === "idle");
  await expectWhole(reader, session.id);
});

test("keeps a session usable when one of three servers is killed and restarted", async () => {
  await using scene = await ClusterScene.open({ servers: 3, leaseMs: 4_000 });
  await scene.work("one");
  const client = await scene.client();
  const session = await start(client, scene);
  const turn = session.send("say one two three");
  await untilReply(turn);
  await scene.nats[0]?.kill();
  await scene.nats[0]?.restart();
  await untilInfo(client, session.id, ({ state }) => state === "idle");
  const { error, text } = await (await client.session(session.id)).send("say still here").outcome;
  expect([error, text]).toEqual([undefined, "still here"]);
  await expectWhole(client, session.id);
});

test("requires only the permissions that docs/scale.md lists for workers and clients", async () => {
  await using scene = await ClusterScene.open({ hasPermissions: true });
  await scene.work("one");
  const client = await scene.client();
  const session = await start(client, scene);
  expect(await session.send("say hello").outcome).toMatchObject({ text: "hello" });
  expect(await client.sessions()).toMatchObject([{ id: session.id, machine: "one" }]);
});

async function start(
  client: Halyard,
  { cwd }: ClusterScene,
  request: { on?: string } = {},
): Promise<Session> {
  const session = await client.start({
    runtime: "fake",
    cwd,
    permissions: "allow-all",
    ...request,
  });
  await session.ready();
  return session;
}

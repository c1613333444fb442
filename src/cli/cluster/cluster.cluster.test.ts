import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilInfo } from "../../../test/cluster/checks.ts";
import { CLIENT_KEY, ClusterScene } from "../../../test/cluster/scene.ts";
import { connectHalyard } from "../../client/index.ts";
import { connectNats } from "../../cluster/connect-nats.ts";

test("pulls the changes that a session made before and after its machine was drained", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two", "gpu");
  await writeFile(join(scene.cwd, "a.txt"), "one\n");
  const { halyard } = scene;
  const started = await halyard(
    "start",
    "-r",
    "fake",
    "-p",
    "allow-all",
    "--on",
    "one",
    "--upload",
    "sh echo two >> a.txt",
  );
  const id = started.stdout.trim();
  expect([started.exitCode, id]).toEqual([0, expect.stringMatching(/^ses_/)]);
  const client = await scene.client();
  await untilInfo(client, id, ({ turns }) => turns === 1);
  const nodes = await halyard("cluster", "nodes", "--format", "json");
  const machines = nodes.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(machines.map(({ machine, labels }) => [machine, labels]).sort()).toEqual([
    ["one", []],
    ["two", ["gpu"]],
  ]);
  const drained = await halyard("cluster", "drain", "one");
  expect(drained).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`${id} continues on two`),
  });
  const sent = await halyard("send", id, "sh echo three >> a.txt");
  expect(sent.exitCode).toBe(0);
  await untilInfo(
    client,
    id,
    ({ turn, checkpoint, turns }) =>
      turns === 2 && turn === undefined && checkpoint?.missingTurnId === undefined,
  );
  expect(await halyard("pull", id)).toMatchObject({
    exitCode: 0,
    stdout: `Changed 1 file, +2 -0 in ${scene.cwd}\n`,
  });
  expect(await readFile(join(scene.cwd, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
  expect((await halyard("pull", id)).stdout).toContain("already has these changes");
  await writeFile(join(scene.cwd, "a.txt"), "other\n");
  expect(await halyard("pull", id)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("nothing was changed"),
  });
  const refused = await halyard("start", "-r", "fake", "--on", "one");
  expect(refused).toMatchObject({ stderr: expect.stringContaining("accepts new sessions: one") });
  expect(await halyard("cluster", "uncordon", "one")).toMatchObject({ exitCode: 0 });
  expect(await halyard("cluster", "status")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Cluster {3}main at .*\nMachines .*\nSessions {2}1 idle\n/),
  });
  expect(await halyard("cluster", "doctor")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^No problems: NATS .*, 3 streams, 2 machines\.\n$/),
  });
}, 180_000);

test("reports a cluster without workers, an unknown machine, and an unreachable session", async () => {
  await using scene = await ClusterScene.open();
  const { halyard } = scene;
  expect(await halyard("cluster", "doctor")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('Run "halyard worker --join ADDRESS"'),
  });
  expect(await halyard("sessions")).toMatchObject({
    stderr: expect.stringContaining("No worker of the cluster responds."),
  });
  expect(await halyard("cluster", "drain", "nowhere")).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining(
      'The machine "nowhere" runs no worker of this cluster. Machines: none.',
    ),
  });
  await scene.work("one");
  const client = await scene.client();
  const session = await client.start({ runtime: "fake", cwd: scene.cwd, permissions: "allow-all" });
  await session.ready();
  await scene.work("two");
  await scene.signal("one", "SIGKILL");
  await untilInfo(await scene.client(), session.id, ({ unreachable }) => unreachable === true);
  expect(await halyard("cluster", "doctor")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining(`halyard resume ${session.id}`),
  });
  expect(await halyard("sessions")).toMatchObject({
    stdout: expect.stringMatching(new RegExp(`${session.id}.* one .*unreachable`)),
  });
  expect(await halyard("stop", session.id)).toMatchObject({
    stderr: expect.stringContaining("does not respond"),
  });
  await scene.work("one"); // so that its agent is killed when the scene is disposed
});

test("rejects --ref without --repo, --repo with --upload, and a repository URL with a password", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  const results = await Promise.all(
    [
      ["--ref", "main"],
      ["--repo", "x", "--upload"],
      ["--repo", "https://a:b@c/d"],
    ].map((args) => scene.halyard("start", "-r", "fake", ...args)),
  );
  expect(results).toMatchObject([
    { exitCode: 2, stderr: expect.stringContaining("--ref needs --repo URL.") },
    { exitCode: 2, stderr: expect.stringContaining("--repo and --upload cannot be combined.") },
    { exitCode: 2, stderr: expect.stringContaining("must not contain a password") },
  ]);
});

test("serves the cluster's page and metrics on a client's machine", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  const client = await scene.client();
  const { id } = await client.start({ runtime: "fake", cwd: scene.cwd, on: "one" });
  try {
    const opened = await scene.halyard("open", "--no-browser");
    expect(opened.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
    expect((await fetch(opened.stdout.trim())).status).toBe(200);
    const { stdout } = await scene.halyard("daemon", "status", "--format", "json");
    await using served = await connectHalyard(JSON.parse(stdout).socketPath);
    expect(await served.sessions()).toMatchObject([{ id, machine: "one" }]);
    await expect
      .poll(() => served.metrics())
      .toContain('halyard_machine_sessions{machine="one"} 1\n');
  } finally {
    expect((await scene.halyard("daemon", "stop")).exitCode).toBe(0);
  }
});

test("does not send the client's model key to the cluster", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  const connection = await connectNats({ servers: `nats://127.0.0.1:${scene.nats[0]?.port}` });
  const sent: string[] = [];
  connection.subscribe("halyard.>", {
    callback: (_error, { data }) => void sent.push(Buffer.from(data).toString()),
  });
  await connection.flush();
  const endpoint = ["--base-url", "http://127.0.0.1:9/v1", "--api", "openai-chat"];
  const model = ["-m", "scripted", ...endpoint, "--api-key-env", "CLIENT_KEY"];
  const started = await scene.halyard("start", "-r", "fake", "-p", "allow-all", ...model, "say hi");
  expect(started.stderr).toContain("The model key stays on this machine.");
  expect(started.stderr).toContain("fake does not support model endpoints"); // the request reached the worker
  await connection.close();
  const text = sent.join("\n");
  expect([text.includes("scripted"), text.includes(CLIENT_KEY)]).toEqual([true, false]);
});

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectWhole, untilInfo } from "../../test/cluster/checks.ts";
import { ClusterScene } from "../../test/cluster/scene.ts";
import { newRepository } from "../../test/workspace/repository.ts";
import type { Halyard, Session } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import { openJetStreamStore } from "../stores/jetstream/store.ts";
import { collect } from "../testing/halyard/fixture.ts";
import { sampleProcess } from "../testing/sample-session.ts";
import { applyPatch } from "../workspace/transfer/apply-patch.ts";
import { packDirectory } from "../workspace/transfer/pack-directory.ts";

const env = { PATH: process.env.PATH };

test("continues the session of a killed machine on another machine, with its conversation, files and commits", async () => {
  await using scene = await ClusterScene.open({ hasKey: true });
  const { root: origin, git } = await newRepository({ "a.txt": "one\n", "b.txt": "two\n" });
  await scene.work("one");
  await scene.work("two");
  const client = await scene.client();
  const session = await start(client, { on: "one", cwd: ".", repository: { url: origin } });
  const { cwd, pid } = session.info;
  expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\n");
  await turn(client, session, "say first turn");
  await turn(client, session, "sh rm b.txt; echo new > c.txt");
  const commit = "git -c user.name=n -c user.email=e commit -qam kept && git checkout -qb topic";
  await turn(client, session, `sh ${commit}; echo three >> a.txt; printf '\\0\\377' > binary`);
  await turn(client, session, "say a turn that changes no file");
  await scene.signal("one", "SIGKILL");
  const reader = await scene.client();
  await untilInfo(reader, session.id, ({ unreachable }) => unreachable === true);
  const moved = await reader.resume(session.id);
  expect(moved.info).toMatchObject({ machine: "two", checkout: { url: origin } });
  expect(await statuses(reader, session.id)).toContain(
    "Continues on two, because one does not respond, with the files and the conversation after turn 4.",
  );
  expect(moved.opened).toBe("resumed");
  expect(await moved.send("recall").outcome).toMatchObject({ text: "say first turn" });
  const there = moved.info.cwd;
  expect(there).not.toBe(cwd);
  const read = (name: string) => readFile(join(there, name));
  expect([
    String(await read("a.txt")),
    String(await read("c.txt")),
    [...(await read("binary"))],
  ]).toEqual(["one\nthree\n", "new\n", [0, 255]]);
  const log = "sh git log --format=%s; git branch --show-current; git status --short";
  const shown = await moved.send(log).outcome;
  expect(shown.status).toBe("completed");
  expect(await outputs(reader, session.id)).toContain(
    "kept\nStart\ntopic\n M a.txt\n?? binary\n?? c.txt\n",
  );
  await turn(reader, moved, "sh echo four >> a.txt");
  // The session's changes include the changes made on both machines.
  const { patch = "" } = await reader.changes(session.id, { patch: true });
  const applied = await applyPatch(origin, Buffer.from(patch, "base64"), env);
  expect(applied).toEqual({ root: origin, hasChanged: true });
  expect(await readFile(join(origin, "a.txt"), "utf8")).toBe("one\nthree\nfour\n");
  expect((await git("status", "--short")).split("\n").map((line) => line.trim())).toEqual([
    "M a.txt",
    "D b.txt",
    "?? binary",
    "?? c.txt",
  ]);
  // After the original machine restarts, it no longer runs the session, and the session's agent on it has exited.
  await scene.work("one");
  await untilInfo(reader, session.id, ({ unreachable }) => unreachable === undefined);
  expect((await reader.find(session.id))?.machine).toBe("two");
  expect(scene.isRunning(pid)).toBe(false);
  await expectWhole(reader, session.id);
  await reader.remove(session.id);
  await expect(readFile(join(there, "a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  expect(await scene.savedMessages()).toBe(0);
});

test("kills the agent on a paused machine after another machine has continued its session", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two");
  const client = await scene.client();
  const upload = await uploaded(scene, { "a.txt": "one\n" });
  const session = await start(client, { on: "one", ...upload });
  const { pid } = session.info;
  await turn(client, session, "sh echo two >> a.txt");
  session.send("wait");
  await untilInfo(client, session.id, ({ turn }) => turn !== undefined);
  await scene.signal("one", "SIGSTOP");
  const reader = await scene.client();
  await untilInfo(reader, session.id, ({ unreachable }) => unreachable === true);
  const moved = await reader.resume(session.id);
  await turn(reader, moved, "sh echo three >> a.txt");
  await scene.signal("one", "SIGCONT");
  await scene.untilGone(pid); // the agent is killed because the lease was lost
  await turn(reader, moved, "sh echo four >> a.txt");
  const { cwd, machine } = moved.info;
  expect([machine, await readFile(join(cwd, "a.txt"), "utf8")]).toEqual([
    "two",
    "one\ntwo\nthree\nfour\n",
  ]);
  await expectWhole(reader, session.id);
});

test("does not move a session that was never saved, and resumes it on its machine when the machine responds again", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two");
  const client = await scene.client();
  const session = await start(client, { on: "one", cwd: scene.cwd });
  await scene.signal("one", "SIGKILL");
  const reader = await scene.client();
  await untilInfo(reader, session.id, ({ unreachable }) => unreachable === true);
  await expect(reader.resume(session.id)).rejects.toMatchObject({
    code: "not_resumable",
    message: expect.stringContaining("it was not saved after a turn"),
  });
  await scene.work("one");
  await untilInfo(reader, session.id, ({ unreachable }) => unreachable === undefined);
  expect((await reader.resume(session.id)).info.machine).toBe("one");
});

test("attaches on the original machine if another machine claimed the session and died before it restored the files", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  const client = await scene.client();
  const upload = await uploaded(scene, { "a.txt": "one\n" });
  const session = await start(client, { on: "one", ...upload });
  const { id, info } = session;
  await turn(client, session, "sh echo two >> a.txt");
  await scene.signal("one", "SIGKILL");
  const store = await openJetStreamStore(await scene.connect());
  const { owner = null } = (await store.find(id)) ?? {};
  await store.claim(id, { pid: 1, startTime: "1", bootId: "1", machine: "two" }, owner);
  await scene.work("one");
  const reader = await scene.client();
  const again = await reader.resume(id);
  expect([again.opened, again.info.machine, again.info.pid]).toEqual(["attached", "one", info.pid]);
  await turn(reader, again, "sh echo three >> a.txt");
  expect(await readFile(join(info.cwd, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
  await expectWhole(reader, id);
});

test("kills the original agent if another machine completes the takeover after the agent's machine has restarted", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two");
  const client = await scene.client();
  const session = await start(client, { on: "one", cwd: scene.cwd });
  await scene.signal("one", "SIGKILL");
  const store = await openJetStreamStore(await scene.connect());
  const two = (await scene.nodes()).find(({ machine }) => machine === "two");
  const { owner = null, info = session.info } = (await store.find(session.id)) ?? {};
  const writer = await store.claim(session.id, two?.identity ?? sampleProcess(1), owner);
  await scene.work("one");
  expect(scene.isRunning(info.pid)).toBe(true);
  const at = new Date().toISOString();
  const moved = { ...info, machine: "two", lastSeq: info.lastSeq + 1 };
  const events = [{ type: "system", subtype: "status" }] as const;
  await writer.append({ firstSeq: moved.lastSeq, at, events, info: moved });
  await scene.untilGone(info.pid);
});

test("removes a session that was never saved and whose machine does not respond", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two");
  const client = await scene.client();
  const session = await start(client, {
    on: "one",
    ...(await uploaded(scene, { "a.txt": "one\n" })),
  });
  const { pid, cwd } = session.info;
  session.send("wait");
  await untilInfo(client, session.id, ({ turn }) => turn !== undefined);
  await scene.signal("one", "SIGKILL");
  const reader = await scene.client();
  await untilInfo(reader, session.id, ({ unreachable }) => unreachable === true);
  await expect(reader.resume(session.id)).rejects.toMatchObject({
    code: "not_resumable",
    message: expect.stringContaining(`"halyard rm ${session.id}"`),
  });
  await reader.remove(session.id);
  expect([await reader.find(session.id), await reader.sessions()]).toEqual([undefined, []]);
  expect(await scene.savedMessages()).toBe(0);
  // After the session's machine restarts, the machine kills the agent and deletes the files.
  expect([scene.isRunning(pid), await readFile(join(cwd, "a.txt"), "utf8")]).toEqual([
    true,
    "one\n",
  ]);
  await scene.work("one");
  await scene.untilGone(pid);
  await expect(readFile(join(cwd, "a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("continues a stopped session on the machine that the caller names, and rejects a running session", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  await scene.work("two", "gpu");
  const client = await scene.client();
  const upload = await uploaded(scene, { "a.txt": "one\n" });
  const session = await start(client, { on: "one", ...upload });
  await turn(client, session, "sh echo two >> a.txt");
  await expect(client.resume(session.id, { on: "gpu" })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining(`halyard stop ${session.id}`),
  });
  await session.stop();
  await expect(client.resume(session.id, { on: "tpu" })).rejects.toMatchObject({
    code: "no_machine",
  });
  const { stdout, stderr } = await scene.halyard("resume", session.id, "--on", "gpu");
  expect([stdout, stderr]).toEqual([`${session.id} resumed from the agent's own session\n`, ""]);
  expect(await statuses(client, session.id)).toContain(
    "Continues on two, instead of one, with the files and the conversation after turn 1.",
  );
  const moved = await client.session(session.id);
  await turn(client, moved, "sh echo three >> a.txt");
  const { cwd, machine } = moved.info;
  expect([machine, await readFile(join(cwd, "a.txt"), "utf8")]).toEqual([
    "two",
    "one\ntwo\nthree\n",
  ]);
  await expectWhole(client, session.id);
});

test("applies a session's changes only if they do not conflict, and rejects invalid repository URLs", async () => {
  await using scene = await ClusterScene.open();
  await scene.work("one");
  const client = await scene.client();
  const packed = await uploaded(scene, { "sub/a.txt": "one\n" });
  const session = await start(client, packed);
  await turn(client, session, "sh echo two >> sub/a.txt");
  const { patch = "" } = await client.changes(session.id, { patch: true });
  const bytes = Buffer.from(patch, "base64");
  const file = join(scene.cwd, "sub/a.txt");
  await writeFile(file, "other\n");
  await expect(applyPatch(scene.cwd, bytes, env)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("sub/a.txt"),
  });
  expect(await readFile(file, "utf8")).toBe("other\n");
  await writeFile(file, "one\n");
  const results = [];
  for (let count = 0; count < 2; count++)
    results.push((await applyPatch(scene.cwd, bytes, env)).hasChanged);
  expect(results).toEqual([true, false]);
  expect(await readFile(file, "utf8")).toBe("one\ntwo\n");
  for (const url of ["ext::sh -c id", "--upload-pack=x", "https://me:secret@host/x.git"])
    await expect(start(client, { cwd: ".", repository: { url } })).rejects.toMatchObject({
      code: "invalid_input",
    });
  await expect(
    start(client, { cwd: ".", repository: { url: join(scene.cwd, "nowhere") } }),
  ).rejects.toMatchObject({
    code: "workspace_failed",
    message: expect.stringContaining("git ls-remote"),
  });
});

async function statuses(client: Halyard, id: string): Promise<(string | undefined)[]> {
  const events = await collect(client.events(id, { follow: false }));
  return events.flatMap((event) =>
    event.type === "system" && event.subtype === "status" ? [event.text] : [],
  );
}

async function start(client: Halyard, request: StartRequest): Promise<Session> {
  const session = await client.start({ runtime: "fake", permissions: "allow-all", ...request });
  await session.ready();
  return session;
}

/** Runs a turn, and resolves when its files are saved. */
async function turn(client: Halyard, session: Session, text: string): Promise<void> {
  const sent = session.send(text);
  expect((await sent.outcome).status).toBe("completed");
  await untilInfo(client, session.id, ({ checkpoint }) => checkpoint?.missingTurnId === undefined);
}

async function outputs(client: Halyard, id: string): Promise<string[]> {
  const found: string[] = [];
  for await (const event of client.events(id, { follow: false }))
    if (event.type === "tool_result") found.push(String(event.output));
  return found;
}

async function uploaded(scene: ClusterScene, files: Readonly<Record<string, string>>) {
  await rm(scene.cwd, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(scene.cwd, name, ".."), { recursive: true });
    await writeFile(join(scene.cwd, name), content);
  }
  const packed = await packDirectory(scene.cwd, env);
  if (packed.upload.pack === "") throw new HalyardError("internal", "nothing is packed");
  return packed;
}

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Session } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import type { StreamEvent } from "../schema/event.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

async function room({ env = process.env, store = "sqlite" as "sqlite" | "memory" } = {}) {
  const directory = await temporaryDirectory();
  const [cwd, home] = [join(directory, "work"), join(directory, "home")];
  mkdirSync(cwd);
  const open = () =>
    createHalyard({ home, env, store, adapters: [fakeAdapter()], onDispose: "stop" });
  const request = { runtime: "fake", cwd, permissions: "allow-all" } as const;
  return { cwd, home, open, request };
}

async function eventsOf(session: Session, subtype: string): Promise<StreamEvent[]> {
  const found: StreamEvent[] = [];
  for await (const event of session.events({ follow: false }))
    if (event.type === "system" && event.subtype === subtype) found.push(event);
  return found;
}

test("warns once if git is missing, and the session continues to work", async () => {
  const { cwd, open, request } = await room({ env: { PATH: "/nonexistent" } });
  // git does not record empty directories, so no checkpoint would be taken without a file
  writeFileSync(join(cwd, "file"), "");
  await using halyard = await open();
  const session = await halyard.start(request);
  for (const text of ["one", "two"])
    expect((await session.send(`say ${text}`).outcome).text).toBe(text);
  await session.stop();
  expect(await eventsOf(session, "warning")).toMatchObject([
    { text: expect.stringContaining("Install git 2.30 or later") },
  ]);
  expect(await eventsOf(session, "checkpoint")).toEqual([]);
});

test("records the files before the first message changes them, even if git is slower than the agent", async () => {
  const directory = await temporaryDirectory();
  const { cwd, open, request } = await room({ env: { ...process.env, PATH: slowGit(directory) } });
  writeFileSync(join(cwd, "file"), "before\n");
  await using halyard = await open();
  const session = await halyard.start(request);
  const turn = session.send("sh echo after > file");
  await turn.outcome;
  const { diff } = await halyard.changes(session.id, { turnId: turn.id });
  expect(diff).toContain("-before\n+after\n");
  expect((await eventsOf(session, "checkpoint")).map(({ seq }) => seq)[0]).toBeLessThan(
    (await eventsOf(session, "turn_started")).map(({ seq }) => seq)[0] ?? 0,
  );
});

/** Returns a PATH with a git that waits before it reads files: until the file has changed, at most 0.5 s. */
function slowGit(directory: string): string {
  const wait =
    'for i in 1 2 3 4 5 6 7 8 9 10; do [ "$(cat "$GIT_WORK_TREE/file")" = before ] && sleep 0.05; done';
  const script = `#!/bin/sh\ncase "$*" in *update-index*) ${wait};; esac\nPATH=\${PATH#*:} exec git "$@"\n`;
  writeFileSync(join(directory, "git"), script, { mode: 0o755 });
  return `${directory}:${process.env.PATH}`;
}

test("records the `after_turn` checkpoint on resume if a detach aborted the checkpoint", async () => {
  const { open, request } = await room();
  await using first = await open();
  const session = await first.start(request);
  await session.ready();
  for await (const event of session.events())
    if (event.type === "system" && event.subtype === "checkpoint") break;
  const turn = session.send("sh echo 1 > file");
  await turn.outcome;
  await session.detach(); // aborts the checkpoint that is being taken
  await using second = await open();
  const resumed = await second.resume(session.id);
  const changes = await second.changes(session.id, { turnId: turn.id });
  expect(changes.files.map(({ path }) => path)).toEqual(["file"]);
  const after = (await eventsOf(resumed, "checkpoint")).slice(1);
  expect(after).toMatchObject([{ data: { when: "after_turn", turnId: turn.id, files: 1 } }]);
  expect(resumed.info.checkpoint).toEqual({ commit: changes.to });
});

test("logs the `after_turn` checkpoint between the turn's completion and the end of the session", async () => {
  const { open, request } = await room();
  await using halyard = await open();
  const session = await halyard.start(request);
  const turn = session.send("sh echo 1 > file");
  await turn.outcome;
  await session.stop();
  const names: string[] = [];
  for await (const event of session.events({ follow: false }))
    names.push(event.type === "system" ? event.subtype : event.type);
  expect(names.indexOf("completion")).toBeLessThan(names.lastIndexOf("checkpoint"));
  expect(names.slice(-2)).toEqual(["checkpoint", "session_stopped"]);
});

test("deletes checkpoints when a session is removed, or when a Halyard instance with a memory store is disposed", async () => {
  for (const store of ["sqlite", "memory"] as const) {
    const { cwd, home, open, request } = await room({ store });
    execFileSync("git", ["init", "-q", cwd]);
    const refs = () =>
      execFileSync("git", ["for-each-ref", "refs/halyard"], { cwd, encoding: "utf8" });
    const halyard = await open();
    const session = await halyard.start(request);
    await session.send("sh echo 1 > file").outcome;
    await session.stop();
    expect(refs()).toContain(session.id);
    if (store === "sqlite") await halyard.remove(session.id);
    await halyard[Symbol.asyncDispose]();
    expect(refs()).toBe("");
    expect(await readdir(join(home, "workspaces"))).toEqual([]);
  }
});

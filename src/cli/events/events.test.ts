import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, program, StartedCli, type User } from "../../../test/cli/start-cli.ts";
import { ownIdentity } from "../../hosts/local/process-identity.ts";
import type { SessionId } from "../../schema/id.ts";
import { openSqliteStore } from "../../stores/sqlite/store.ts";
import { sampleBlock, sampleDelta, sampleSession } from "../../testing/sample-session.ts";

const first: SessionId = "ses_aaaaaaaaaaaaaaa1";
const second: SessionId = "ses_aaaaaaaaaaaaaaa2";
const other: SessionId = "ses_bbbbbbbbbbbbbbbb";

/** Opens the user's store, as another process would. */
async function storeOf(user: User) {
  await mkdir(user.home, { recursive: true });
  return openSqliteStore(join(user.home, "halyard.db"));
}

async function userWithSessions(): Promise<User> {
  const user = await newUser();
  await using store = await storeOf(user);
  for (const id of [first, second, other])
    await (await store.create(sampleSession({ id, state: "stopped" }), ownIdentity())).release();
  return user;
}

test("finds a session by a prefix of its id, and rejects an ambiguous prefix", async () => {
  const user = await userWithSessions();
  for (const id of [other, "ses_b", "b"])
    expect(await runWarm(user, ["events", id])).toMatchObject({ exitCode: 0, stderr: "" });
  const { exitCode, stderr } = await runWarm(user, ["events", "ses_aaa"]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(
    /^error: "ses_aaa" matches 2 sessions\. Use a longer prefix: .*\n {2}ses_a{15}\d\n {2}ses_a{15}\d\n/,
  );
  expect(await runWarm(user, ["run", "--resume", "ses_aaa", "x"])).toMatchObject({ exitCode: 2 });
  expect(await runWarm(user, ["run", "--resume", "c", "x"])).toMatchObject({ exitCode: 4 });
});

test("lists at most as many sessions as --limit allows, and only sessions in the state that --state names", async () => {
  const user = await userWithSessions();
  const { stdout, stderr } = await runWarm(user, ["sessions", "--limit", "2"]);
  expect(stdout.trimEnd().split("\n")).toHaveLength(3);
  expect(stderr).toContain("There are more");
  const all = await runWarm(user, ["sessions", "--format", "json"]);
  expect(all.stdout.trimEnd().split("\n")).toHaveLength(3);
  expect(await runWarm(user, ["sessions", "--state", "running"])).toMatchObject({ stdout: "" });
});

test("follows another process's events until the session ends", async () => {
  const user = await newUser();
  await using store = await storeOf(user);
  const info = sampleSession({ id: first, state: "running" });
  const writer = await store.create(info, ownIdentity());
  const beginning = sampleBlock(info, [sampleDelta("Hello")]);
  await writer.append(beginning);
  const cli = new StartedCli(user, [process.execPath, program, "events", first, "--follow"]);
  await cli.says(/^Hello$/);
  const stopped = { type: "system", subtype: "session_stopped", text: "done" } as const;
  const end = sampleBlock(beginning.info, [sampleDelta(" there"), stopped]);
  await writer.append({ ...end, info: { ...end.info, state: "stopped" } });
  expect(await cli.finished).toEqual({
    exitCode: 0,
    stdout: "Hello there\n\n· session ended: done\n",
    stderr: "",
  });
});

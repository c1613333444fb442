import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Session } from "../../contracts/halyard.ts";
import { collect, type OpenFixture, startFake, until } from "./fixture.ts";

/** Tests checkpoints, changes and rewinds of a session's files. */
export function describeFiles(open: OpenFixture): void {
  describe("session files", () => {
    test("are recorded at the start and after each turn, regardless of which program changed them", async () => {
      await using fixture = await open();
      const { halyard, cwd } = fixture;
      await writeFile(join(cwd, "a.txt"), "one\n");
      const session = await startRecorded(fixture);
      const turn = session.send("sh echo two >> a.txt; echo new > b.txt");
      await turn.outcome;
      const changes = await halyard.changes(session.id, { turnId: turn.id });
      expect(changes.files).toEqual([
        { ...text, path: "a.txt", status: "modified", insertions: 1 },
        { ...text, path: "b.txt", status: "added", insertions: 1 },
      ]);
      expect(changes).toMatchObject({ insertions: 2, deletions: 0, truncated: false });
      expect(changes.diff).toContain("+++ b/b.txt\n@@ -0,0 +1 @@\n+new\n");
      expect(await checkpointsOf(session)).toEqual([
        { when: "start", files: 0 },
        { when: "after_turn", turnId: turn.id, files: 2 },
      ]);
      expect(session.info.checkpoint).toEqual({ commit: changes.to });
      const { patch = "" } = await halyard.changes(session.id, { patch: true });
      const complete = Buffer.from(patch, "base64").toString();
      expect([changes.patch, complete]).toEqual([undefined, expect.stringContaining("+new\n")]);
    });

    test("are a clone if the request contains a repository URL, and the clone is removed with the session", async () => {
      await using fixture = await open();
      const { halyard, cwd } = fixture;
      const maker = await startRecorded(fixture);
      const git = "git -c user.name=n -c user.email=e -c init.defaultBranch=main";
      const make = `sh mkdir -p shop/sub; cd shop; ${git} init -q; echo one > sub/a; ${git} add .; ${git} commit -qm one`;
      expect((await maker.send(make).outcome).status).toBe("completed");
      const url = join(cwd, "shop");
      const request = { runtime: "fake", permissions: "allow-all", repository: { url } } as const;
      const session = await halyard.start({ ...request, cwd: "sub" });
      const { checkout, cwd: inside } = session.info;
      expect(checkout).toEqual({ path: expect.any(String), base: expect.any(String), url });
      expect(inside).toBe(join(checkout?.path ?? "", "sub"));
      await session.send("sh echo two >> a").outcome;
      const { files } = await halyard.changes(session.id);
      expect(files.map(({ path, status }) => [path, status])).toEqual([["sub/a", "modified"]]);
      expect(await readFile(join(url, "sub/a"), "utf8")).toBe("one\n");
      for (const wrong of ["/", "../..", "nowhere"])
        await expect(halyard.start({ ...request, cwd: wrong })).rejects.toMatchObject({
          code: "invalid_input",
        });
      await halyard.remove(session.id);
      await expect(readFile(join(inside, "a"))).rejects.toThrow("ENOENT");
    });

    test("are compared per turn, without the user's changes between turns", async () => {
      await using fixture = await open();
      const { halyard, cwd } = fixture;
      const session = await startRecorded(fixture);
      await session.send("sh echo 1 > first").outcome;
      await halyard.changes(session.id);
      await writeFile(join(cwd, "mine"), "person\n");
      const slow = session.send("wait");
      await untilCheckpoint(session, "before_turn");
      await session.send("sh echo 2 > second", { delivery: "steer" }).outcome;
      const names = async (query: Parameters<typeof halyard.changes>[1]) =>
        (await halyard.changes(session.id, query)).files.map(({ path }) => path);
      expect(await names({ turnId: "1" })).toEqual(["first"]);
      expect(await names({ turnId: slow.id })).toEqual(["second"]);
      expect(await names({})).toEqual(["first", "mine", "second"]);
      expect(await names({ by: "agent" })).toEqual(["first", "second"]);
      await expect(names({ by: "agent", from: "1" })).rejects.toMatchObject({
        code: "invalid_input",
      });
      expect(await names({ from: "1" })).toEqual(["mine", "second"]);
      await writeFile(join(cwd, "later"), "");
      expect(await names({ from: "2", to: "now" })).toEqual(["later"]);
    });

    test("are restored by a rewind to a turn, to the start, or to the checkpoint before a rewind", async () => {
      await using fixture = await open();
      const { halyard, cwd } = fixture;
      const session = await startRecorded(fixture);
      await session.send("sh echo 1 > file").outcome;
      // Waits for the checkpoint, because the fake agent edits files faster than a model would.
      await untilCheckpoint(session, "after_turn");
      await session.send("sh echo 2 > file").outcome;
      const rewound = await halyard.rewind(session.id, { to: "1" });
      expect(rewound).toMatchObject({ files: 1, insertions: 1, deletions: 1, kept: [] });
      expect(await readFile(join(cwd, "file"), "utf8")).toBe("1\n");
      await halyard.rewind(session.id, { to: rewound.before });
      expect(await readFile(join(cwd, "file"), "utf8")).toBe("2\n");
      await halyard.rewind(session.id, { to: "start" });
      await expect(readFile(join(cwd, "file"))).rejects.toThrow("ENOENT");
      expect((await session.send("say the session continues").outcome).status).toBe("completed");
    });

    test("are not restored while a turn runs", async () => {
      await using fixture = await open();
      const session = await startRecorded(fixture);
      const turn = session.send("say working; wait");
      await until(turn, "message");
      const rewinding = fixture.halyard.rewind(session.id, { to: "start" });
      await expect(rewinding).rejects.toMatchObject({ code: "workspace_failed" });
      await turn.cancel();
    });

    test("are compared and restored after the session has ended", async () => {
      await using fixture = await open();
      const session = await startRecorded(fixture);
      await session.send("sh echo 1 > file").outcome;
      await session.stop();
      const other = await fixture.again();
      expect((await other.changes(session.id)).files.map(({ path }) => path)).toEqual(["file"]);
      await other.rewind(session.id, { to: "start" });
      await expect(readFile(join(fixture.cwd, "file"))).rejects.toThrow("ENOENT");
      expect(await checkpointsOf(session)).toHaveLength(3);
    });

    test("are not recorded if the request disables checkpoints", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { checkpoints: false });
      await session.send("say hello").outcome;
      await expect(fixture.halyard.changes(session.id)).rejects.toMatchObject({
        code: "checkpoint_not_found",
      });
      await session.stop();
      expect(await checkpointsOf(session)).toEqual([]);
    });

    test("are neither compared nor restored for an unknown session, turn or checkpoint", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const session = await startRecorded(fixture);
      const missing = { code: "checkpoint_not_found" };
      await expect(halyard.changes(session.id, { turnId: "7" })).rejects.toMatchObject(missing);
      const commit = "0".repeat(40);
      await expect(halyard.rewind(session.id, { to: commit })).rejects.toMatchObject(missing);
      await expect(halyard.rewind(session.id, { to: "../x" })).rejects.toMatchObject({
        code: "invalid_input",
      });
      await expect(halyard.changes("ses_0000000000000000")).rejects.toMatchObject({
        code: "session_not_found",
      });
    });
  });
}

const text = { insertions: 0, deletions: 0, binary: false };

/** Starts a session, and waits until its first checkpoint is recorded. */
async function startRecorded(fixture: Parameters<typeof startFake>[0]): Promise<Session> {
  const session = await startFake(fixture);
  await untilCheckpoint(session, "start");
  return session;
}

async function untilCheckpoint(session: Session, when: string): Promise<void> {
  for await (const event of session.events()) {
    if (event.type !== "system") continue;
    if (event.subtype === "warning") throw new Error(event.text);
    if (event.subtype === "checkpoint" && event.data?.when === when) return;
  }
}

async function checkpointsOf(session: Session): Promise<unknown[]> {
  const events = await collect(session.events({ follow: false }));
  return events.flatMap((event) => {
    if (event.type !== "system" || event.subtype !== "checkpoint") return [];
    const { when, turnId, files } = event.data ?? {};
    return [{ when, ...(turnId !== undefined && { turnId }), files }];
  });
}

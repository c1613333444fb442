import { describe, expect, test } from "vitest";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import type { PruneOptions } from "../../schema/session/retention.ts";
import type { StartRequest } from "../../schema/session/start-request.ts";
import { collect, type HalyardFixture, type OpenFixture, startFake, until } from "./fixture.ts";

/** Tests the removal of old sessions. */
export function describePruning(open: OpenFixture): void {
  describe("prune", () => {
    test("removes ended sessions with their events, but no live session", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const old = await stopped(fixture, { name: "old" });
      const idle = await startFake(fixture);
      const waiting = await startFake(fixture, { permissions: "ask" });
      const turn = waiting.send("ask");
      await until(turn, "request");
      const { lastSeq } = (await halyard.find(old.id)) ?? {};
      const { removed, problems, hasMore } = await halyard.prune({ olderThan: "0d" });
      expect({ removed, problems, hasMore }).toEqual({
        removed: [
          {
            id: old.id,
            runtime: "fake",
            title: "old",
            state: "stopped",
            updatedAt: old.info.updatedAt,
            events: lastSeq,
          },
        ],
        problems: [],
        hasMore: false,
      });
      expect(await halyard.find(old.id)).toBeUndefined();
      const ids = (await halyard.sessions()).map(({ id }) => id);
      expect(ids.sort()).toEqual([idle.id, waiting.id].sort());
      expect((await halyard.search("something")).hits).toEqual([]);
      expect((await idle.send("say alive").outcome).text).toBe("alive");
      await waiting.interrupt();
      expect(await turn.outcome).toMatchObject({ status: "cancelled" });
      const seqs = (await collect(waiting.events({ follow: false }))).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    });

    test("keeps the newest ended sessions, and sessions that were active recently", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      for (const name of ["first", "second", "third"]) await stopped(fixture, { name });
      expect(await pruned(halyard, { olderThan: "1h" })).toEqual([]);
      expect(await pruned(halyard, { olderThan: "0d", keep: 2 })).toEqual(["first"]);
      expect(await pruned(halyard, { olderThan: "0d", keep: 1 })).toEqual(["second"]);
      expect((await halyard.sessions()).map(({ name }) => name)).toEqual(["third"]);
    });

    test("lists sessions without removing them in a dry run", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      for (const name of ["first", "second"]) await stopped(fixture, { name });
      const dryRun = { olderThan: "0d", dryRun: true };
      expect(await pruned(halyard, dryRun)).toEqual(["first", "second"]);
      expect(await halyard.sessions()).toHaveLength(2);
    });

    test("keeps the sessions in the tree of a live session, because their cost counts toward its limit", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const root = await startFake(fixture, { name: "root" });
      const middle = await stopped(fixture, { name: "middle", parent: root.id });
      await stopped(fixture, { name: "leaf", parent: middle.id });
      await stopped(fixture, { name: "other" });
      expect(await pruned(halyard, { olderThan: "0d" })).toEqual(["other"]);
      await root.stop();
      expect(await pruned(halyard, { olderThan: "0d" })).toEqual(["leaf", "middle", "root"]);
    });

    test("rejects an invalid age", async () => {
      await using fixture = await open();
      for (const olderThan of ["", "30", "1y", "-1d", "1.5d"])
        await expect(fixture.halyard.prune({ olderThan })).rejects.toMatchObject({
          code: "invalid_input",
        });
    });
  });
}

/** Prunes and returns the names of the removed sessions. */
async function pruned(halyard: Halyard, options: PruneOptions): Promise<(string | undefined)[]> {
  const { removed } = await halyard.prune(options);
  return removed.map(({ title }) => title).sort();
}

async function stopped(fixture: HalyardFixture, request: Partial<StartRequest>): Promise<Session> {
  const session = await startFake(fixture, request);
  await session.send("say something").outcome;
  await session.stop();
  return session;
}

import { describe, expect, test } from "vitest";
import { newSessionId } from "../../errors/require-id.ts";
import { type OpenFixture, startFake } from "./fixture.ts";

/** Tests the search across sessions. */
export function describeSearch(open: OpenFixture): void {
  describe("search", () => {
    test("finds user and agent messages, in live and ended sessions", async () => {
      await using fixture = await open();
      const first = await startFake(fixture, { name: "first" });
      await first.send("say lighthouse").outcome;
      await first.stop();
      const second = await startFake(fixture, { name: "second" });
      await second.send("say lighthouse").outcome;
      const { hits, pending } = await fixture.halyard.search("lighthouse");
      expect(pending).toBe(0);
      expect(hits.map(({ title, role, snippet }) => ({ title, role, snippet }))).toEqual([
        { title: "second", role: "assistant", snippet: "lighthouse" },
        { title: "second", role: "user", snippet: "say lighthouse" },
        { title: "first", role: "assistant", snippet: "lighthouse" },
        { title: "first", role: "user", snippet: "say lighthouse" },
      ]);
      expect(hits[1]).toMatchObject({
        sessionId: second.id,
        runtime: "fake",
        type: "message",
        marks: [{ start: 4, end: 14 }],
      });
      const at = hits[1]?.at ?? "";
      const { hits: early } = await fixture.halyard.search("lighthouse", { until: at });
      expect(early.every((hit) => hit.at < at)).toBe(true);
      const { hits: late } = await fixture.halyard.search("lighthouse", { since: at });
      expect([...late, ...early]).toEqual(hits);
      const { id } = first;
      const options = { sessions: [id], limit: 1 };
      expect((await fixture.halyard.search('"say lighthouse"', options)).hits).toMatchObject([
        { sessionId: id, role: "user" },
      ]);
    });

    test("returns the most relevant hits first on request", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      for (const text of ["harbor harbor", "the harbor of the town"])
        await session.send(`say ${text}`).outcome;
      const first = async (order: "newest" | "relevance") =>
        (await fixture.halyard.search("harbor", { order, limit: 1 })).hits[0]?.snippet;
      expect(await first("newest")).toBe("the harbor of the town");
      expect(await first("relevance")).toBe("harbor harbor");
      const options = JSON.parse('{ "order": "oldest" }');
      await expect(fixture.halyard.search("harbor", options)).rejects.toMatchObject({
        code: "invalid_input",
      });
    });

    test("finds nothing in a removed session", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.send("say lighthouse").outcome;
      expect((await fixture.halyard.search("lighthouse")).hits).toHaveLength(2);
      await fixture.halyard.remove(session.id);
      expect(await fixture.halyard.search("lighthouse")).toEqual({ hits: [], pending: 0 });
    });

    test("accepts any characters in a query, and rejects invalid options and long queries", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      for (const query of ['"', "&q=1 #%", "a AND (", ""])
        expect(await halyard.search(query)).toEqual({ hits: [], pending: 0 });
      const unknown = { sessions: [newSessionId()] };
      expect(await halyard.search("word", unknown)).toEqual({ hits: [], pending: 0 });
      const invalid = { code: "invalid_input" };
      await expect(halyard.search("word", { limit: 1001 })).rejects.toMatchObject(invalid);
      await expect(halyard.search("word", { before: -1 })).rejects.toMatchObject(invalid);
      await expect(halyard.search("word", { since: "today" })).rejects.toMatchObject(invalid);
      await expect(halyard.search("word ".repeat(201))).rejects.toMatchObject(invalid);
      await expect(halyard.search("word", { sessions: ["x"] })).rejects.toMatchObject({
        code: "session_not_found",
      });
    });
  });
}

import { describe, expect, test } from "vitest";
import { collect, type OpenFixture, startFake } from "./fixture.ts";

/** Tests reading the end of a log without its start. */
export function describeWindows(open: OpenFixture): void {
  describe("a window", () => {
    test("contains the last events of the log, or the last ones before an event", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const session = await startFake(fixture);
      await session.send("say one two three").outcome;
      await halyard.changes(session.id); // waits for the turn's checkpoint
      const all = await collect(halyard.events(session.id, { follow: false }));
      const { length } = all;
      expect(await halyard.window(session.id)).toEqual({ events: all, first: 1, last: length });
      const end = await halyard.window(session.id, { limit: 3 });
      expect(end).toEqual({ events: all.slice(-3), first: length - 2, last: length });
      const { first } = end;
      const before = await halyard.window(session.id, { before: first, limit: 2 });
      expect(before).toEqual({
        events: all.slice(-5, -3),
        first: first - 2,
        last: first - 1,
      });
      const rest = await collect(halyard.events(session.id, { after: end.last, follow: false }));
      expect(rest).toEqual([]);
      const none = { events: [], first: 1, last: 0 };
      expect(await halyard.window(session.id, { before: 1 })).toEqual(none);
    });

    test("contains the same events after the session has ended", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const session = await startFake(fixture);
      await session.send("say hello").outcome;
      const { events } = await halyard.window(session.id);
      await session.stop();
      const later = await halyard.window(session.id, { before: events.length + 1 });
      expect(later.events).toEqual(events);
      expect((await halyard.window(session.id, { limit: 1 })).events).toMatchObject([
        { type: "system", subtype: "session_stopped" },
      ]);
    });

    test("is rejected for an unknown session or an invalid range", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const notFound = { code: "session_not_found" };
      for (const id of ["ses_0000000000000000", "../x", ""])
        await expect(halyard.window(id)).rejects.toMatchObject(notFound);
      const { id } = await startFake(fixture);
      for (const range of [{ limit: 0 }, { limit: 10_001 }, { before: -1 }, { before: 1.5 }])
        await expect(halyard.window(id, range)).rejects.toMatchObject({ code: "invalid_input" });
    });
  });

  describe("the position", () => {
    test("is the position of the last event, so that a reader receives only new events", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      expect(await halyard.position()).toBe(0);
      const session = await startFake(fixture);
      await session.send("say old").outcome;
      const after = await halyard.position();
      await session.send("say new").outcome;
      const texts: string[] = [];
      for await (const { position, event } of halyard.allEvents({ after, follow: false })) {
        expect(position).toBeGreaterThan(after);
        if (event.type === "message") texts.push(event.text);
      }
      expect(texts).toEqual(["say new", "new"]);
    });
  });
}

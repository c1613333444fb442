import { describe, expect, test } from "vitest";
import { collect, type OpenFixture, startFake } from "./fixture.ts";

/** Tests the trace contexts of turns and the metrics of a Halyard instance. */
export function describeMetrics(open: OpenFixture): void {
  describe("trace context", () => {
    test("records the caller's trace context with the turn, and rejects a malformed one", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      const turn = session.send("say hello", { traceparent });
      await turn.outcome;
      expect(await collect(turn)).toContainEqual(
        expect.objectContaining({ subtype: "turn_started", data: { traceparent } }),
      );
      const { error } = await session.send("say hello", { traceparent: "00-1-2-01" }).outcome;
      expect(error).toMatchObject({ code: "invalid_input" });
      expect(error?.message).toMatch(/traceparent/);
    });
  });

  describe("metrics", () => {
    test("counts sessions by state, turns by outcome, events and queued turns", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const session = await startFake(fixture);
      await session.send("say hello").outcome;
      await session.send("fail on purpose").outcome;
      const running = session.send("hang");
      await running.accepted;
      const queued = session.send("say later");
      await queued.accepted;
      const text = await halyard.metrics();
      const lines = text.split("\n");
      expect(lines).toContain('halyard_sessions{state="running"} 1');
      expect(lines).toContain('halyard_turns_total{outcome="completed",runtime="fake"} 1');
      expect(lines).toContain('halyard_turns_total{outcome="failed",runtime="fake"} 1');
      expect(lines).toContain("halyard_queued_turns 1");
      expect(lines).toContain('halyard_events_total{type="completion"} 2');
      expect(text).toMatch(/^halyard_store_append_seconds_count [1-9]\d*$/m);
      expect(text).toMatch(/^process_resident_memory_bytes [1-9]\d*$/m);
      expect(text.endsWith("\n")).toBe(true);
    });
  });
}

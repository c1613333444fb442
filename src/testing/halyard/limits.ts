import { describe, expect, test } from "vitest";
import type { Session } from "../../contracts/halyard.ts";
import { type OpenFixture, startFake, story, until } from "./fixture.ts";

/** Tests how sessions react to a vendor's usage limit. */
export function describeLimits(open: OpenFixture): void {
  describe("usage limit", () => {
    test("fails the turn with `rate_limited` and the reset time by default", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const before = Date.now();
      const { status, error } = await session.send("limited 3600").outcome;
      expect([status, error?.code, error?.retryable]).toEqual(["failed", "rate_limited", true]);
      const resetMs = Date.parse(error?.resetsAt ?? "") - before;
      expect(resetMs).toBeGreaterThanOrEqual(3_600_000);
      expect(resetMs).toBeLessThan(3_660_000);
      expect(error?.message).toContain(error?.resetsAt);
      expect(session.info).toMatchObject({ state: "idle" });
    });

    test("waits for the reset if `onLimit` is `wait`, and sends the same message again", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { onLimit: "wait" });
      const turn = session.send("limited 0.1; say done");
      const events = await story(turn);
      expect(events).toEqual([
        "system/turn_started",
        "user limited 0.1; say done",
        "system/limit",
        "system/turn_waiting",
        "system/turn_continued",
        "delta done",
        "message done",
        "completion completed",
      ]);
      expect(await turn.outcome).toMatchObject({ status: "completed", text: "done" });
      expect(await session.send("recall").outcome).toMatchObject({ text: "limited 0.1; say done" });
      expect(session.info.turns).toBe(2);
    });

    test("continues with a short message if the turn has done work", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { onLimit: "wait" });
      const { text } = await session.send("say one; limited 0.1; say two").outcome;
      expect(text).toBe("continued");
    });

    test("shows why and until when a session waits, and queues messages in the meantime", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { onLimit: "wait" });
      const turn = session.send("limited 3600");
      await untilWaiting(session);
      const info = await fixture.halyard.find(session.id);
      expect(info).toMatchObject({ state: "waiting", waiting: { reason: "limit", resend: true } });
      const { until = "", resetsAt = "" } = info?.waiting ?? {};
      expect(Date.parse(until)).toBeGreaterThanOrEqual(Date.parse(resetsAt));
      const next = session.send("say next");
      const steered = session.send("say steered", { delivery: "steer" });
      expect(await next.accepted).toEqual({ status: "queued" });
      expect(await steered.accepted).toEqual({ status: "queued" });
      await session.interrupt({ reason: "not today" });
      expect(await turn.outcome).toMatchObject({
        status: "cancelled",
        metadata: { reason: "not today" },
      });
      expect(await next.outcome).toMatchObject({ text: "next" });
      expect(await steered.outcome).toMatchObject({ text: "steered" });
      expect(session.info).not.toHaveProperty("waiting");
    });

    test("ends the wait when the session stops or a message interrupts the turn", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { onLimit: "wait" });
      const first = session.send("limited 3600");
      await untilWaiting(session);
      const urgent = session.send("say now", { delivery: "interrupt" });
      expect(await first.outcome).toMatchObject({ status: "cancelled" });
      expect(await urgent.outcome).toMatchObject({ text: "now" });
      const other = await startFake(fixture, { onLimit: "wait" });
      const turn = other.send("limited 3600");
      await untilWaiting(other);
      await other.stop("enough");
      expect(await turn.outcome).toMatchObject({ status: "cancelled" });
      expect(await fixture.halyard.find(other.id)).not.toHaveProperty("waiting");
    });

    test("hands the work over to another session if the request specifies a handoff", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const session = await startFake(fixture, { onLimit: { handoff: "fake" } });
      const turn = session.send("question ready?; limited 3600; say done");
      const { requestId } = await until(turn, "request");
      const queued = session.send("say later");
      expect((await queued.accepted).status).toBe("queued");
      await session.answer(requestId, { decision: "allow", text: "yes" });
      const { error, metadata } = await turn.outcome;
      expect(error?.code).toBe("rate_limited");
      expect(metadata?.handoff).toMatchObject({ runtime: "fake" });
      expect(await queued.outcome).toMatchObject({ error: { code: "rate_limited" } });
      const { sessionId = "" } = Object(metadata?.handoff);
      await expect
        .poll(() => halyard.find(sessionId))
        .toMatchObject({
          handoff: { from: session.id },
        });
      await halyard.stop(sessionId);
    });
  });
}

async function untilWaiting(session: Session): Promise<void> {
  for await (const event of session.events())
    if (event.type === "system" && event.subtype === "turn_waiting") break;
  await expect.poll(() => session.info.waiting).toBeDefined();
}

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newTurnId } from "../../errors/require-id.ts";
import { StreamEvent } from "../../schema/event.ts";
import { isReply } from "../replies.ts";
import { collect, type OpenFixture, startFake, startUnready, story, until } from "./fixture.ts";

/** Tests messages and the turns that they start. */
export function describeTurns(open: OpenFixture): void {
  describe("a turn", () => {
    test("streams its events and ends with one completion", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("say hello there");
      expect(await story(turn)).toEqual([
        "system/turn_started",
        "user say hello there",
        "delta hello",
        "delta  there",
        "message hello there",
        "completion completed",
      ]);
      expect(await turn.outcome).toMatchObject({
        status: "completed",
        text: "hello there",
        stopReason: "end_turn",
        usage: { inputTokens: expect.any(Number), outputTokens: 2 },
      });
      expect((await turn.accepted).status).not.toBe("failed");
    });

    test("counts toward the usage of its day, its runtime and its directory", async () => {
      await using fixture = await open();
      const { halyard, cwd } = fixture;
      expect((await halyard.usage()).total).toMatchObject({ turns: 0, sessions: 0 });
      const session = await startFake(fixture);
      const { usage } = await session.send("say hello there").outcome;
      const again = await session.send("say again").outcome;
      const total = {
        inputTokens: usage.inputTokens + again.usage.inputTokens,
        outputTokens: usage.outputTokens + again.usage.outputTokens,
        turns: 2,
        sessions: 1,
      };
      const report = await halyard.usage();
      expect(report).toMatchObject({
        total,
        runtimes: [{ runtime: "fake", ...total }],
        projects: [{ project: cwd, ...total }],
        models: [{ model: "default", ...total }],
      });
      const turns = report.days.map((day) => day.turns);
      // Compare the sum, because the turns may be on two days around midnight.
      expect(turns.reduce((sum, count) => sum + count)).toBe(2);
      expect((await halyard.usage({ since: "2100-01-01" })).days).toEqual([]);
      for (const since of ["today", "2026-02-30", "2026-01-01T00:00:00Z"])
        await expect(halyard.usage({ since })).rejects.toMatchObject({ code: "invalid_input" });
    });

    test("emits only events that match the schema, in order and without gaps [s0.events.normalised] [s3.events.seven-types] [s2.d2.consumers-see-events]", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.send("think; say one; sh echo two; retry three").outcome;
      await session.stop();
      const events = await collect(session.events());
      for (const event of events) expect(StreamEvent.parse(event)).toEqual(event);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([session.id]));
    });

    test("runs a tool that writes a file", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const events = await collect(session.send("tool write note.txt written by a tool"));
      expect(events).toContainEqual(
        expect.objectContaining({
          type: "tool_call",
          name: "write",
          kind: "edit",
          input: { file: "note.txt", content: "written by a tool" },
        }),
      );
      expect(events).toContainEqual(
        expect.objectContaining({ type: "tool_result", isError: false }),
      );
      expect(await readFile(join(fixture.cwd, "note.txt"), "utf8")).toBe("written by a tool");
    });

    test("reports the exit code of a failing command", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const result = await until(session.send("sh exit 3"), "tool_result");
      expect(result).toMatchObject({ isError: true, exitCode: 3 });
    });

    test("emits no message for a stream that was cut off, and deltas that concatenate to each message [s3.events.delta] [s3.events.message]", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const events = await collect(session.send("retry to be or not to be; think deep; say that"));
      const sums = new Map<string, string>();
      for (const event of events) {
        if (event.type === "delta") {
          sums.set(event.messageId, (sums.get(event.messageId) ?? "") + event.text);
        } else if (event.type === "message" && event.role === "assistant") {
          expect(sums.get(event.messageId)).toBe(event.text);
        }
      }
      const messages = events.filter(isReply);
      expect(messages).toHaveLength(3);
      expect(sums.size).toBe(4);
      expect(events.map((event) => event.type === "system" && event.subtype)).toContain("retry");
    });

    test("is queued until the runtime is ready", async () => {
      await using fixture = await open();
      const session = await startUnready(fixture, { options: { startup: WAIT_FOR_FILE } });
      const turn = session.send("say early");
      expect(await turn.accepted).toEqual({ status: "queued" });
      await writeFile(join(fixture.cwd, "go"), "");
      expect(await turn.outcome).toMatchObject({ status: "completed", text: "early" });
    });

    test("waits for the previous turn, and is in the log while it waits", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const first = session.send("wait; say first");
      await until(first, "system");
      const second = session.send("say second");
      expect(await second.accepted).toEqual({ status: "queued" });
      session.send("say go", { delivery: "steer" });
      const [a, b] = await Promise.all([story(first), story(second)]);
      expect(a.at(-1)).toBe("completion completed");
      expect(b).toEqual([
        "system/turn_queued",
        "system/turn_started",
        "user say second",
        "delta second",
        "message second",
        "completion completed",
      ]);
    });

    test("receives a steered message and remains one turn", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("wait");
      await until(turn, "system");
      const steering = session.send("say steered", { delivery: "steer" });
      expect(steering.id).toBe(turn.id);
      expect((await steering.accepted).status).toBe("confirmed");
      expect(await turn.outcome).toMatchObject({ status: "completed", text: "steered" });
      expect(await story(turn)).toContain("system/turn_steered");
    });

    test("receives a steered message that was sent before the turn started", async () => {
      await using fixture = await open();
      const session = await startUnready(fixture, { options: { startup: WAIT_FOR_FILE } });
      const turn = session.send("say first; wait");
      await turn.accepted;
      const steering = session.send("say steered", { delivery: "steer" });
      await writeFile(join(fixture.cwd, "go"), "");
      expect(await steering.accepted).toEqual({ status: "confirmed" });
      expect(await turn.outcome).toMatchObject({ status: "completed", text: "steered" });
      const lines = await story(turn);
      const steered = lines.indexOf("system/turn_steered");
      expect(steered).toBeGreaterThan(lines.indexOf("user say first; wait"));
      expect(session.info.turns).toBe(1);
    });

    test("receives a steered message once if it is sent again with the same id, even after the turn has ended", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("wait");
      await until(turn, "system");
      const words = { delivery: "steer", id: newTurnId() } as const;
      const steered = [1, 2].map(() => session.send("say steered", words));
      expect(steered.map(({ id }) => id)).toEqual([turn.id, turn.id]);
      await turn.outcome;
      const late = session.send("say steered", words);
      expect(await late.accepted).toEqual({ status: "confirmed" });
      expect(await late.outcome).toMatchObject({ text: "steered" });
      expect(session.info.turns).toBe(1);
      const received = await story(late);
      expect(received.filter((line) => line === "message steered")).toHaveLength(1);
    });

    test("is cancelled by an interrupting turn, which runs before queued turns", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const running = session.send("wait");
      await until(running, "system");
      const waiting = session.send("say waiting");
      const urgent = session.send("say urgent", { delivery: "interrupt" });
      expect(await running.outcome).toMatchObject({ status: "cancelled" });
      expect(await urgent.outcome).toMatchObject({ status: "completed", text: "urgent" });
      expect(await waiting.outcome).toMatchObject({ status: "completed", text: "waiting" });
      const ends = (await collect(session.events({ follow: false }))).filter(
        ({ type }) => type === "completion",
      );
      expect(ends.map(({ turnId }) => turnId)).toEqual([running.id, urgent.id, waiting.id]);
    });

    test("runs after earlier interrupting turns, but before queued turns, if it interrupts", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const running = session.send("wait");
      await until(running, "system");
      const waiting = session.send("say waiting");
      const first = session.send("say first", { delivery: "interrupt" });
      const second = session.send("say second", { delivery: "interrupt" });
      for (const turn of [running, first, second, waiting]) await turn.outcome;
      const ends = (await collect(session.events({ follow: false }))).filter(
        ({ type }) => type === "completion",
      );
      const order = [running.id, first.id, second.id, waiting.id];
      expect(ends.map(({ turnId }) => turnId)).toEqual(order);
    });

    test.skipIf(!existsSync("/dev/full"))(
      "continues and warns once if the native log cannot be written",
      async () => {
        await using fixture = await open();
        const session = await startFake(fixture, { record: "/dev/full" });
        expect(await session.send("say a; say b").outcome).toMatchObject({ status: "completed" });
        const events = await collect(session.events({ follow: false }));
        const warnings = events.filter(
          (event) => "subtype" in event && event.subtype === "warning",
        );
        expect(warnings).toMatchObject([
          { text: expect.stringMatching(/\/dev\/full was closed because a write failed: ENOSPC/) },
        ]);
      },
    );

    test("accepts a message of two megabytes", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const text = "é".repeat(1_000_000);
      const { text: said } = await session.send(`count ${text}`).outcome;
      expect(said).toBe(`${text.length} characters`);
    });

    test("can be read by several readers from different positions", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("stream 200");
      const [whole, all] = await Promise.all([
        collect(turn),
        turn.outcome.then(() => collect(turn)),
      ]);
      expect(all).toEqual(whole);
      const [middle, last] = [whole[100]?.seq ?? 0, whole.at(-1)?.seq ?? 0];
      const rest = await collect(session.events({ after: middle, follow: false }));
      // Compare only up to the last event, because a checkpoint may follow.
      expect(rest.filter(({ seq }) => seq <= last)).toEqual(whole.slice(101));
    });
  });
}

/** A script that waits for the file `go`. */
const WAIT_FOR_FILE = "sh until [ -e go ]; do sleep 0.02; done";

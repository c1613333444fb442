import { describe, expect, test } from "vitest";
import { collect, type OpenFixture, startFake, story, until } from "./fixture.ts";

/** Tests that every turn ends exactly once for every behavior of the runtime. */
export function describeEndings(open: OpenFixture): void {
  describe("end of a turn", () => {
    test("follows a cancel, and the session stays usable", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("say a; sh sleep 60");
      await until(turn, "tool_call");
      await turn.cancel("changed my mind");
      expect(await turn.outcome).toMatchObject({ status: "cancelled", text: "a" });
      expect((await story(turn)).slice(-2)).toEqual(["tool_result error", "completion cancelled"]);
      expect(await session.send("say still here").outcome).toMatchObject({ status: "completed" });
    });

    test("follows an abort of the signal, even if the signal was aborted before the message was sent", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const controller = new AbortController();
      const turn = session.send("wait", { signal: controller.signal });
      await until(turn, "system");
      controller.abort();
      expect((await turn.outcome).status).toBe("cancelled");
      const never = session.send("say never", { signal: controller.signal });
      expect((await never.outcome).status).toBe("cancelled");
      expect(await collect(never)).toEqual([]);
    });

    test("is `cancelled` for a queued turn that is cancelled", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const running = session.send("wait");
      await until(running, "system");
      const waiting = session.send("tool write never.txt x");
      await waiting.cancel();
      expect(await story(waiting)).toEqual(["system/turn_queued", "completion cancelled"]);
      await running.cancel();
      expect(await session.send("say next").outcome).toMatchObject({ text: "next" });
    });

    test("does not change on a later cancel", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("say done");
      await turn.outcome;
      await turn.cancel();
      expect((await turn.outcome).status).toBe("completed");
      expect((await story(turn)).filter((line) => line.startsWith("completion"))).toHaveLength(1);
    });

    test("is recorded once if the runtime reports it twice, and late output does not become part of the next turn", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const first = session.send("say one; double-end; late");
      await first.outcome;
      const second = session.send("say two");
      const said = (await story(second)).filter((line) => line !== "system/raw");
      expect(said).toEqual([
        "system/turn_started",
        "user say two",
        "delta two",
        "message two",
        "completion completed",
      ]);
      const all = await collect(session.events({ follow: false }));
      expect(all.filter(({ type }) => type === "completion")).toHaveLength(2);
      expect(JSON.stringify(all)).toContain("too late");
    });

    test("follows when the runtime dies, with its exit code and stderr [s0.events.error] [s3.events.error]", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const last = session.send("say b; stderr out of memory; die 7");
      expect(await last.outcome).toMatchObject({
        status: "failed",
        text: "b",
        error: { code: "agent_exited", message: expect.stringMatching(/7.*out of memory/s) },
      });
      expect((await story(last)).slice(-2)).toEqual(["error agent_exited", "completion failed"]);
    });

    test("ends an open tool call with an error result", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { limits: { cancelMs: 200 } });
      const turn = session.send("hang shell");
      await until(turn, "tool_call");
      await turn.cancel();
      expect((await story(turn)).slice(-3)).toEqual([
        "tool_call shell",
        "tool_result error",
        "completion cancelled",
      ]);
      expect(session.info.state).toBe("failed");
    });

    test("reports a timeout with its phase if the runtime stops responding", async () => {
      await using fixture = await open();
      const limits = { firstOutputMs: 150, progressMs: 150, cancelMs: 150 };
      const silent = await startFake(fixture, { limits });
      expect(await silent.send("hang").outcome).toMatchObject({
        status: "failed",
        error: {
          code: "timed_out",
          phase: "first_output",
          message: increase("limits.firstOutputMs"),
        },
      });
      const stuck = await startFake(fixture, { limits });
      expect(await stuck.send("say a; hang").outcome).toMatchObject({
        status: "failed",
        text: "a",
        error: { code: "timed_out", phase: "progress", message: increase("limits.progressMs") },
      });
    });

    test("follows when the turn's timeout expires", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const late = session.send("say a; wait", { timeoutMs: 200 });
      expect(await late.outcome).toMatchObject({
        status: "failed",
        error: { code: "timed_out", phase: "turn", message: increase("the message's timeoutMs") },
      });
      const limited = await startFake(fixture, { limits: { turnMs: 200 } });
      expect(await limited.send("say a; wait").outcome).toMatchObject({
        error: { code: "timed_out", phase: "turn", message: increase("limits.turnMs") },
      });
      expect(await session.send("say alive").outcome).toMatchObject({ status: "completed" });
    });

    test("contains the runtime's error message if the runtime fails the turn", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      expect(await session.send("fail the model is overloaded").outcome).toMatchObject({
        status: "failed",
        error: { code: "agent_failed", message: "the model is overloaded" },
      });
    });

    test("follows for all turns when the session stops", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const running = session.send("wait");
      await until(running, "system");
      const waiting = session.send("say never");
      await session.stop("enough");
      await session.stop();
      expect((await running.outcome).status).toBe("cancelled");
      expect((await waiting.outcome).status).toBe("cancelled");
      expect(session.info).toMatchObject({ state: "stopped", reason: "enough" });
      expect(await session.send("say too late").outcome).toMatchObject({
        error: { code: "session_stopped" },
      });
      const types = (await collect(session.events())).map((event) =>
        event.type === "system" ? event.subtype : event.type,
      );
      expect(types.at(-1)).toBe("session_stopped");
    });

    test("follows despite malformed lines, invalid bytes or a line of 50 MiB", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const text = `garbage; bad-utf8; future; long-line ${50 * 1024 * 1024}; say fine`;
      const outcome = await session.send(text).outcome;
      expect(outcome).toMatchObject({ status: "completed", text: "fine" });
      const half = await session.send("half-line; die").outcome;
      expect(half).toMatchObject({ status: "failed", error: { code: "agent_exited" } });
    }, 120_000); // a long limit, because the long line takes 4 s on an idle machine
  });
}

/** Matches a message that advises to increase a setting. */
function increase(setting: string): unknown {
  return expect.stringContaining(`Try again, or increase ${setting}`);
}

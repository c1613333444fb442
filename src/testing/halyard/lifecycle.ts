import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Session } from "../../contracts/halyard.ts";
import type { ResumeOptions } from "../../contracts/resume-options.ts";
import type { SessionFilter } from "../../contracts/store.ts";
import { newSessionId } from "../../errors/require-id.ts";
import { repliesIn } from "../replies.ts";
import { collect, type OpenFixture, startFake, until, untilReply } from "./fixture.ts";

/** Tests the start, resume, attach and end of sessions. */
export function describeLifecycle(open: OpenFixture): void {
  describe("session", () => {
    test("is stored with the runtime's session id [s2.d4.own-ids] [s0.events.system]", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { name: "api", labels: { team: "a" } });
      await session.ready();
      const [started, ready] = await collect(session.events({ follow: false }));
      expect(started).toMatchObject({
        subtype: "session_started",
        data: { runtimeSessionId: expect.any(String), opened: "started" },
      });
      expect(ready).toMatchObject({ subtype: "session_ready" });
      const other = await fixture.again();
      expect(await other.find(session.id)).toMatchObject({
        id: session.id,
        runtime: "fake",
        cwd: fixture.cwd,
        state: "idle",
        name: "api",
        labels: { team: "a" },
        runtimeSessionId: expect.any(String),
      });
      expect((await other.sessions()).map(({ id }) => id)).toEqual([session.id]);
    });

    test("is found by its labels and by the runtime's session id", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { labels: { team: "a b", note: "x=y&z" } });
      await startFake(fixture, { labels: { team: "a b" } });
      const { runtimeSessionId = "" } = session.info;
      const find = async (filter: SessionFilter) =>
        (await fixture.halyard.sessions(filter)).map(({ id }) => id);
      expect(await find({ labels: { team: "a b", note: "x=y&z" } })).toEqual([session.id]);
      expect(await find({ labels: { team: "a b" } })).toHaveLength(2);
      expect(await find({ labels: { team: "c" } })).toEqual([]);
      expect(await find({ runtimeSessionId })).toEqual([session.id]);
      expect(await find({ runtimeSessionId, runtime: "other" })).toEqual([]);
    });

    test("is resumed in its directory, and continues its conversation [s2.d4.continuation] [s1.terms.session-workdir]", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.send("say remember me").outcome;
      await session.stop();
      const other = await fixture.again();
      const resumed = await other.resume(session.id);
      expect(resumed.opened).toBe("resumed");
      expect(resumed.id).toBe(session.id);
      expect(resumed.info.cwd).toBe(fixture.cwd);
      const [again] = await collect(resumed.events({ after: resumed.openedAfter, follow: false }));
      expect(again).toMatchObject({ subtype: "session_started", data: { opened: "resumed" } });
      expect(await resumed.send("recall").outcome).toMatchObject({ text: "say remember me" });
      const seqs = (await collect(resumed.events({ follow: false }))).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    });

    test("uses the given id, and is rejected if another session has that id", async () => {
      await using fixture = await open();
      const id = newSessionId();
      expect((await startFake(fixture, { id })).id).toBe(id);
      await expect(startFake(fixture, { id })).rejects.toMatchObject({ code: "invalid_input" });
      expect((await fixture.halyard.sessions()).map((session) => session.id)).toEqual([id]);
    });

    test("keeps its account, and reports its pid and when it became ready", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { accountDir: fixture.cwd });
      const { pid, readyAt = "" } = session.info;
      expect(pid).toBeGreaterThan(0);
      expect(readyAt >= session.info.createdAt).toBe(true);
      await session.send("say something").outcome;
      await session.stop();
      expect((await fixture.halyard.find(session.id))?.pid).toBeUndefined();
      const resumed = await fixture.halyard.resume(session.id);
      expect(resumed.info.pid).not.toBe(pid);
      const outcome = await resumed.send("echo-env FAKE_ACCOUNT").outcome;
      expect(outcome.text).toBe(fixture.cwd);
    });

    test("cannot be resumed before its first turn", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.ready();
      await session.stop();
      const resumed = fixture.halyard.resume(session.id);
      await expect(resumed).rejects.toMatchObject({ code: "not_resumable" });
    });

    test("rejects a resume if the runtime starts another session instead", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.send("say something").outcome;
      await session.stop();
      const resumed = fixture.halyard.resume(session.id, { options: { startup: "forget" } });
      await expect(resumed).rejects.toMatchObject({ code: "runtime_session_not_found" });
    });

    test("can be resumed after its runtime has died during a turn", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.send("say before").outcome;
      expect((await session.send("die").outcome).status).toBe("failed");
      const resumed = await fixture.halyard.resume(session.id);
      expect(await resumed.send("recall").outcome).toMatchObject({ text: "say before" });
    });

    test("continues after a detach, and an attach neither loses nor repeats events", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("say before; wait; stream 300");
      await untilReply(turn);
      await session.detach();
      const other = await fixture.again();
      expect(await other.find(session.id)).toMatchObject({ state: "detached" });
      const attached = await other.resume(session.id);
      expect(attached.opened).toBe("attached");
      attached.send("say steered", { delivery: "steer" });
      expect(await turn.outcome).toMatchObject({ status: "completed" });
      await attached.stop();
      const events = await collect(other.events(session.id, { follow: false }));
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.filter(({ type }) => type === "completion")).toHaveLength(1);
      const said = repliesIn(events);
      expect(said).toEqual(["before", [...Array(300).keys()].join(" "), "steered"]);
    });

    test("continues the native log in the process that attaches", async () => {
      await using fixture = await open();
      const record = join(fixture.cwd, "native.jsonl");
      const session = await startFake(fixture, { record });
      await session.send("say one").outcome;
      await session.detach();
      const other = await fixture.again();
      const attached = await other.resume(session.id);
      await attached.send("say two").outcome;
      await attached.stop();
      const said = (await readFile(record, "utf8")).matchAll(/"text":"(one|two)"/g);
      expect(new Set([...said].map(([, word]) => word))).toEqual(new Set(["one", "two"]));
    });

    test("continues the native log after a resume, and warns if its directory no longer exists", async () => {
      await using fixture = await open();
      const directory = await mkdtemp(join(fixture.cwd, "logs-"));
      const [first, second] = [join(directory, "first"), join(directory, "second")];
      const say = async (word: string, session: Session) => {
        await session.send(`say ${word}`).outcome;
        await session.stop();
        return session;
      };
      const resume = (options: ResumeOptions = {}) => fixture.halyard.resume(id, options);
      const { id } = await say("one", await startFake(fixture, { record: first }));
      await say("two", await resume());
      await say("three", await resume({ record: second }));
      await say("four", await resume());
      const wordsIn = async (file: string) => {
        const said = (await readFile(file, "utf8")).matchAll(/"text":"(one|two|three|four)"/g);
        return [...new Set([...said].map(([, word]) => word))];
      };
      expect(await wordsIn(first)).toEqual(["one", "two"]);
      expect(await wordsIn(second)).toEqual(["three", "four"]);
      const nowhere = join(directory, "nowhere", "log");
      await expect(resume({ record: nowhere })).rejects.toMatchObject({ code: "invalid_input" });
      expect(await fixture.halyard.find(id)).toMatchObject({ state: "stopped", record: second });

      await rm(directory, { recursive: true });
      const last = await say("five", await resume());
      const events = await collect(last.events({ follow: false }));
      expect(
        events.filter((event) => "subtype" in event && event.subtype === "warning"),
      ).toMatchObject([{ text: expect.stringContaining(`${second} cannot be written`) }]);
    });

    test("does not repeat the last completion after an attach between turns", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.send("say one").outcome;
      await session.detach();
      const attached = await (await fixture.again()).resume(session.id);
      expect(await attached.send("say two").outcome).toMatchObject({ text: "two" });
    });

    test("completes a turn after a resume, a detach and an attach", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.send("stream 300").outcome;
      await session.stop();
      const resumed = await fixture.halyard.resume(session.id);
      expect(resumed.opened).toBe("resumed");
      await resumed.detach();
      const other = await fixture.again();
      const attached = await other.resume(session.id);
      expect(attached.opened).toBe("attached");
      const turn = attached.send("say hello", { timeoutMs: 5_000 });
      expect(await turn.outcome).toMatchObject({ status: "completed", text: "hello" });
    });

    test("can be followed while it is being attached", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("say before; wait");
      await untilReply(turn);
      await session.detach();
      const other = await fixture.again();
      const resuming = other.resume(session.id);
      const following = collect(other.events(session.id));
      const attached = await resuming;
      attached.send("say steered", { delivery: "steer" });
      await turn.outcome;
      await attached.stop();
      expect(await following).toEqual(await collect(other.events(session.id, { follow: false })));
    });

    test("accepts the answer to an open request after an attach", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "ask" });
      const turn = session.send("ask");
      const { requestId } = await until(turn, "request");
      await session.detach();
      const other = await fixture.again();
      const attached = await other.resume(session.id);
      await attached.answer(requestId, { decision: "allow" });
      expect((await turn.outcome).text).toBe("allowed");
    });

    test("cannot be resumed while another process owns it", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.ready();
      const other = await fixture.again();
      await expect(other.resume(session.id)).rejects.toMatchObject({ code: "session_owned" });
    });

    test("can be followed by another Halyard instance, and read completely afterwards", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const other = await fixture.again();
      const following = collect(other.events(session.id));
      await session.send("stream 50").outcome;
      await session.stop();
      const followed = await following;
      expect(followed).toEqual(await collect(session.events()));
      expect(followed.length).toBeGreaterThan(50);
      const all = [];
      for await (const { event } of other.allEvents({ follow: false })) all.push(event);
      expect(all).toEqual(followed);
    });

    test("ends its turn and is deleted when it is removed", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("wait");
      await until(turn, "system");
      await fixture.halyard.remove(session.id);
      expect((await turn.outcome).status).toBe("cancelled");
      expect(await fixture.halyard.find(session.id)).toBeUndefined();
      expect(await fixture.halyard.sessions()).toEqual([]);
    });

    test("is not found by an unknown id", async () => {
      await using fixture = await open();
      const id = newSessionId();
      const notFound = { code: "session_not_found" };
      await expect(fixture.halyard.resume(id)).rejects.toMatchObject(notFound);
      await expect(fixture.halyard.remove(id)).rejects.toMatchObject(notFound);
      await expect(collect(fixture.halyard.events(id))).rejects.toMatchObject(notFound);
      expect(await fixture.halyard.find(id)).toBeUndefined();
    });

    test("ends when its Halyard instance is disposed", async () => {
      await using fixture = await open();
      const halyard = await fixture.again();
      const session = await halyard.start({ runtime: "fake", cwd: fixture.cwd });
      const turn = session.send("wait");
      await until(turn, "system");
      await halyard[Symbol.asyncDispose]();
      expect((await turn.outcome).status).toBe("cancelled");
      expect(await fixture.halyard.find(session.id)).toMatchObject({ state: "stopped" });
    });
  });
}

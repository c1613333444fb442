import { describe, expect, test } from "vitest";
import { newSessionId, newTurnId } from "../../errors/require-id.ts";
import { collect, type OpenFixture, startFake, story, until } from "./fixture.ts";

/** Tests changes to a session and its turns. */
export function describeChanges(open: OpenFixture): void {
  describe("session change", () => {
    test("stores the new name and labels", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { name: "old", labels: { team: "a" } });
      const info = await fixture.halyard.update(session.id, { name: "new", labels: { team: "b" } });
      expect(info).toMatchObject({ name: "new", labels: { team: "b" } });
      expect(await (await fixture.again()).find(session.id)).toMatchObject({ name: "new" });
      expect(await collect(session.events({ follow: false }))).toContainEqual(
        expect.objectContaining({ subtype: "session_changed", data: expect.anything() }),
      );
    });

    test("changes the model, and keeps it after a resume", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { model: "small" });
      expect((await session.send("flag model").outcome).text).toBe("small");
      await fixture.halyard.update(session.id, { model: "large", reasoning: "high" });
      expect((await session.send("flag model").outcome).text).toBe("large");
      await session.stop();
      const resumed = await fixture.halyard.resume(session.id);
      expect((await resumed.send("flag model").outcome).text).toBe("large");
      expect(resumed.info).toMatchObject({ model: { id: "large" }, reasoning: "high" });
    });

    test("keeps the system prompt, without keys, until a resume replaces it", async () => {
      await using fixture = await open();
      const env = { SAMPLE_API_KEY: "key-of-the-user-0123456789" };
      const systemPrompt = `Be brief. Never print ${env.SAMPLE_API_KEY}.`;
      const session = await startFake(fixture, { env, systemPrompt });
      await session.send("say something to come back to").outcome;
      const kept = session.info.systemPrompt ?? "";
      expect(kept).toMatch(/^Be brief\. Never print (?!key-of).*\.$/);
      await session.stop();
      const resumed = await fixture.halyard.resume(session.id);
      expect((await resumed.send("flag system-prompt").outcome).text).toBe(kept);
      await resumed.stop();
      await (await fixture.halyard.resume(session.id, { systemPrompt: "Be long." })).stop();
      const again = await fixture.halyard.resume(session.id);
      expect((await again.send("flag system-prompt").outcome).text).toBe("Be long.");
      const copy = await again.fork();
      expect((await copy.send("flag system-prompt").outcome).text).toBe("Be long.");
    });

    test("applies a stricter policy to a running session", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await fixture.halyard.update(session.id, { permissions: "deny" });
      expect(await story(session.send("sh true"))).toContain("response deny by policy");
      expect(session.info.permissions).toBe("deny");
    });

    test("to a stopped session applies when the session is resumed", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.send("say something to come back to").outcome;
      await session.stop();
      await fixture.halyard.update(session.id, { name: "kept", plan: true });
      const resumed = await fixture.halyard.resume(session.id);
      expect(resumed.info).toMatchObject({ name: "kept", plan: true });
      expect(await until(resumed.send("sh true"), "tool_result")).toMatchObject({
        output: "refused while planning",
      });
    });

    test("can be made by a resume, and is kept by later resumes", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { reasoning: "low" });
      await session.send("say something to come back to").outcome;
      await session.stop();
      const given = { permissions: "deny", reasoning: "high" } as const;
      const resumed = await fixture.halyard.resume(session.id, given);
      expect(resumed.info).toMatchObject(given);
      expect(await story(resumed.send("ask"))).toContain("response deny by policy");
      await resumed.stop();
      const again = await fixture.halyard.resume(session.id, { plan: true });
      expect(again.info).toMatchObject({ ...given, plan: true });
      expect((await again.send("flag reasoning").outcome).text).toBe("high");
    });

    test("can be made by resuming a running session", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { model: "small" });
      const given = { permissions: "deny", model: "large" } as const;
      await fixture.halyard.resume(session.id, given);
      expect(session.info).toMatchObject({ permissions: "deny", model: { id: "large" } });
      expect((await session.send("flag model").outcome).text).toBe("large");
      await session.detach();
      const attached = await (await fixture.again()).resume(session.id, { permissions: "ask" });
      expect(attached).toMatchObject({ opened: "attached", info: { permissions: "ask" } });
    });

    test("is rejected for an unknown session or an invalid value", async () => {
      await using fixture = await open();
      await expect(fixture.halyard.update(newSessionId(), { name: "x" })).rejects.toMatchObject({
        code: "session_not_found",
      });
      const session = await startFake(fixture);
      await expect(fixture.halyard.update(session.id, { name: "" })).rejects.toMatchObject({
        code: "invalid_input",
      });
    });
  });

  describe("turn", () => {
    test("is interrupted through the session, and the next turn starts", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const first = session.send("wait");
      const second = session.send("say second");
      await first.accepted;
      await session.interrupt({ reason: "enough" });
      expect(await first.outcome).toMatchObject({
        status: "cancelled",
        metadata: { reason: "enough" },
      });
      expect(await second.outcome).toMatchObject({ status: "completed", text: "second" });
      await session.interrupt();
    });

    test("is interrupted by its id while it is queued", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const first = session.send("wait");
      const second = session.send("say never");
      await second.accepted;
      await session.interrupt({ turnId: second.id });
      expect(await second.outcome).toMatchObject({ status: "cancelled" });
      await session.interrupt({ turnId: first.id });
      expect(await first.outcome).toMatchObject({ status: "cancelled" });
    });

    test("starts once if its message is sent repeatedly with one id", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const id = newTurnId();
      const turns = [1, 2, 3].map(() => session.send("say once", { id }));
      expect(turns.map((turn) => turn.id)).toEqual([id, id, id]);
      for (const turn of turns) expect(await turn.outcome).toMatchObject({ text: "once" });
      const late = session.send("say once", { id });
      expect(await late.outcome).toMatchObject({ text: "once" });
      const events = await collect(session.events({ follow: false }));
      expect(events.filter(({ type }) => type === "completion")).toHaveLength(1);
    });
  });

  describe("runtime", () => {
    test("answers a ping while the session is running", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.ping();
    });

    test("rejects a ping after the session has stopped", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      await session.stop();
      await expect(session.ping()).rejects.toMatchObject({ code: "session_stopped" });
    });
  });

  describe("child session", () => {
    test("stores its parent's id and its own depth, and uses the parent's runtime", async () => {
      await using fixture = await open();
      const parent = await startFake(fixture, { project: "shop" });
      const { halyard, cwd } = fixture;
      const child = await halyard.start({ cwd, parent: parent.id });
      const grandchild = await halyard.start({ cwd, parent: child.id });
      expect(child.info).toMatchObject({ parent: parent.id, depth: 1, runtime: "fake" });
      expect(grandchild.info).toMatchObject({ parent: child.id, depth: 2 });
      expect(parent.info).toMatchObject({ project: "shop", depth: 0 });
    });
  });
}

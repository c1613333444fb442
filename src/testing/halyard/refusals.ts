import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { collect, type OpenFixture, startFake, startUnready } from "./fixture.ts";

/** Tests that invalid input is rejected with an error code, and that a rejected start creates no session. */
export function describeRefusals(open: OpenFixture): void {
  describe("a Halyard instance", () => {
    test("rejects an unknown runtime and lists the known ones", async () => {
      await using fixture = await open();
      const { cwd, halyard } = fixture;
      await expect(halyard.start({ runtime: "nosuch", cwd })).rejects.toMatchObject({
        code: "unknown_runtime",
        message: expect.stringMatching(/nosuch.*fake/s),
      });
      expect(await halyard.sessions()).toEqual([]);
    });

    test("rejects a working directory that does not exist or is a file", async () => {
      await using fixture = await open();
      const { cwd, halyard } = fixture;
      const file = join(cwd, "file");
      await writeFile(file, "");
      for (const wrong of [join(cwd, "missing"), file]) {
        await expect(halyard.start({ runtime: "fake", cwd: wrong })).rejects.toMatchObject({
          code: "invalid_input",
          message: expect.stringContaining(wrong),
        });
      }
    });

    test("rejects a start request with an unknown option", async () => {
      await using fixture = await open();
      const { cwd, halyard } = fixture;
      const request = { runtime: "fake", cwd, permisions: "ask" };
      await expect(halyard.start(request)).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining("permisions"),
      });
    });

    test("rejects malformed session, turn and request ids", async () => {
      await using fixture = await open();
      const { cwd, halyard } = fixture;
      const session = await startFake(fixture);
      for (const id of ["", "api", "../../etc", "ses_", "ses_UPPERCASE0000000", `${session.id}0`]) {
        const notFound = { code: "session_not_found", message: expect.stringContaining(id) };
        await expect(halyard.session(id)).rejects.toMatchObject(notFound);
        await expect(halyard.resume(id)).rejects.toMatchObject(notFound);
        await expect(halyard.stop(id)).rejects.toMatchObject(notFound);
        await expect(halyard.update(id, { name: "x" })).rejects.toMatchObject(notFound);
        await expect(halyard.remove(id)).rejects.toMatchObject(notFound);
        await expect(collect(halyard.events(id))).rejects.toMatchObject(notFound);
        const batches = halyard.batches(id)[Symbol.asyncIterator]();
        await expect(batches.next()).rejects.toMatchObject(notFound);
        expect(await halyard.find(id)).toBeUndefined();
        const invalid = { code: "invalid_input" };
        await expect(halyard.sessions({ parent: id })).rejects.toMatchObject(invalid);
        await expect(startFake(fixture, { parent: id })).rejects.toMatchObject(invalid);
        await expect(halyard.start({ id, runtime: "fake", cwd })).rejects.toMatchObject(invalid);
        await expect(session.interrupt({ turnId: id })).rejects.toMatchObject(invalid);
        await expect(session.answer(id, { decision: "deny" })).rejects.toMatchObject(invalid);
        const { outcome } = session.send("say hello", { id });
        expect(await outcome).toMatchObject({ status: "failed", error: invalid });
      }
      expect(await halyard.sessions()).toHaveLength(1);
    });

    test("treats an undefined option as absent", async () => {
      await using fixture = await open();
      const { halyard } = fixture;
      const session = await startFake(fixture, {
        id: undefined,
        name: undefined,
        permissions: undefined,
        tools: undefined,
        limits: { turnMs: undefined },
      });
      const signal = undefined;
      const options = { id: undefined, delivery: undefined, timeoutMs: undefined, signal };
      expect(await session.send("say hello", options).outcome).toMatchObject({
        status: "completed",
      });
      await session.interrupt({ turnId: undefined, reason: undefined });
      const follow = { after: undefined, signal };
      expect(await collect(session.events({ ...follow, follow: false }))).not.toEqual([]);
      const filter = { states: undefined, runtime: undefined, parent: undefined, limit: undefined };
      expect(await halyard.sessions({ ...filter, labels: undefined })).toHaveLength(1);
      await session.stop();
    });

    test("rejects a message that is empty or contains only whitespace", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      for (const text of ["", " \n"]) {
        const turn = session.send(text);
        expect(await turn.accepted).toMatchObject({ status: "failed" });
        expect(await turn.outcome).toMatchObject({ error: { code: "invalid_input" } });
      }
    });

    test("rejects a timeout that a timer does not support", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      for (const timeoutMs of [2 ** 31, Number.POSITIVE_INFINITY, Number.NaN, -1]) {
        const turn = session.send("say hello", { timeoutMs });
        expect(await turn.outcome).toMatchObject({
          status: "failed",
          error: { code: "invalid_input", message: expect.stringContaining("timeoutMs") },
        });
      }
      const longest = session.send("say hello", { timeoutMs: 2 ** 31 - 1 });
      expect(await longest.outcome).toMatchObject({ status: "completed" });
    });

    test("rejects an invalid start position for events", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      for (const after of [-5, 1.5, Number.NaN]) {
        const wrong = { code: "invalid_input" };
        await expect(collect(session.events({ after, follow: false }))).rejects.toMatchObject(
          wrong,
        );
      }
    });

    test("rejects invalid environment variables without revealing their values", async () => {
      await using fixture = await open();
      const value = "sk-never-revealed\0";
      const error = await startFake(fixture, { env: { SERVICE_API_KEY: value } }).catch(String);
      expect(error).toContain("env.SERVICE_API_KEY");
      expect(error).not.toContain("sk-never-revealed");
      expect(await fixture.halyard.sessions()).toEqual([]);
    });

    test("rejects an endpoint or a host that the runtime does not support", async () => {
      await using fixture = await open();
      const model = { baseUrl: "http://127.0.0.1:1" };
      await expect(startFake(fixture, { model })).rejects.toMatchObject({ code: "unsupported" });
      await expect(startFake(fixture, { host: "tmux" })).rejects.toMatchObject({
        code: "unsupported",
      });
    });

    test("rejects MCP servers if the runtime does not support them, also on resume", async () => {
      await using fixture = await open();
      const options = { mcpServers: { depths: { command: "/bin/depths" } } };
      const refused = { code: "unsupported", message: expect.stringMatching(/fake.*MCP/) };
      await expect(startFake(fixture, { options })).rejects.toMatchObject(refused);
      expect(await fixture.halyard.sessions()).toEqual([]);
      const session = await startFake(fixture, { options: { mcpServers: {} } });
      await session.send("say hello").outcome;
      await session.stop();
      const resuming = fixture.halyard.resume(session.id, { options });
      await expect(resuming).rejects.toMatchObject(refused);
      const resumed = await fixture.halyard.resume(session.id);
      expect(await resumed.send("say hello").outcome).toMatchObject({ text: "hello" });
    });

    test("rejects ready() if the runtime exits before it is ready", async () => {
      await using fixture = await open();
      const session = await startUnready(fixture, {
        options: { startup: "stderr no luck; die 9" },
      });
      await expect(session.ready()).rejects.toMatchObject({
        code: "agent_exited",
        message: expect.stringContaining("no luck"),
      });
      const turn = session.send("say hello");
      expect(await turn.outcome).toMatchObject({ status: "failed" });
      await session.stop();
      expect(session.info.state).toBe("failed");
    });

    test("rejects ready() if the runtime is not ready in time", async () => {
      await using fixture = await open();
      const limits = { readyMs: 200, stopMs: 100 };
      const session = await startUnready(fixture, { limits, options: { startup: "deaf" } });
      await expect(session.ready()).rejects.toMatchObject({
        code: "timed_out",
        phase: "ready",
        message: expect.stringContaining("increase limits.readyMs"),
      });
    });
  });
}

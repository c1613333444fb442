import { describe, expect, test } from "vitest";
import { newRequestId } from "../../core/id.ts";
import { collect, type OpenFixture, startFake, story, until } from "./fixture.ts";

/** What a runtime asks, and who answers. */
export function describeRequests(open: OpenFixture): void {
  describe("a request", () => {
    test("is answered by whoever is there", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "ask" });
      const turn = session.send("ask");
      const request = await until(turn, "request");
      expect(request).toMatchObject({
        kind: "permission",
        verdict: "ask",
        tool: { name: "launch", kind: "other" },
        expiresAt: expect.any(String),
      });
      expect(session.info).toMatchObject({
        state: "waiting",
        openRequests: [{ requestId: request.requestId }],
      });
      await session.answer(request.requestId, { decision: "allow" });
      expect(await turn.outcome).toMatchObject({ text: "allowed" });
      expect(await story(turn)).toContain("response allow by user");
      await expect(session.answer(request.requestId, { decision: "deny" })).rejects.toMatchObject({
        code: "request_not_found",
      });
    });

    test("can be denied with a reason, and the turn goes on", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "ask" });
      const turn = session.send("sh rm -rf everything; say well");
      const request = await until(turn, "request");
      await session.answer(request.requestId, { decision: "deny", text: "not today" });
      const result = await until(turn, "tool_result");
      expect(result).toMatchObject({ isError: true, output: expect.stringContaining("not today") });
      expect(await turn.outcome).toMatchObject({ status: "completed", text: "well" });
    });

    test.for([
      { permissions: "allow-all", edit: "allow", execute: "allow" },
      { permissions: "allow-edits", edit: "allow", execute: "ask" },
      { permissions: "ask", edit: "ask", execute: "ask" },
      { permissions: "deny", edit: "deny", execute: "deny" },
    ] as const)("is judged under $permissions", async ({ permissions, edit, execute }) => {
      await using fixture = await open();
      // The fake asks under every policy but allow-all, where it is asked to ask.
      const session = await startFake(fixture, { permissions, limits: { requestMs: 50 } });
      const turn = session.send("tool write a.txt a; sh true; ask");
      const requests = (await collect(turn)).filter((event) => event.type === "request");
      const verdicts = new Map(requests.map(({ tool, verdict }) => [tool?.kind, verdict]));
      if (permissions === "allow-all") expect([...verdicts]).toEqual([["other", "allow"]]);
      else expect([verdicts.get("edit"), verdicts.get("execute")]).toEqual([edit, execute]);
    });

    test("that is answered with always is allowed by a rule from then on, until it is revoked", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "ask" });
      const first = session.send("sh echo one");
      const { requestId, options } = await until(first, "request");
      const option = options.find(({ rule }) => rule !== undefined);
      expect(option).toMatchObject({
        decision: "allow",
        label: expect.stringContaining('any "echo" command by shell'),
      });
      await session.answer(requestId, { decision: "allow", optionId: option?.id ?? "" });
      await first.outcome;
      const rules = session.info.rules ?? [];
      expect(rules).toMatchObject([{ tool: "shell", kind: "execute", program: "echo" }]);

      const second = session.send("sh echo two");
      await second.outcome;
      expect(await until(second, "request")).toMatchObject({ verdict: "allow", rule: rules[0] });
      expect(await until(second, "response")).toMatchObject({ by: "rule", rule: rules[0] });

      const others = ["sh echo three > x", "sh true", "tool write a.txt a"];
      for (const text of others) {
        const turn = session.send(text);
        const request = await until(turn, "request");
        expect(request.verdict).toBe("ask");
        await session.answer(request.requestId, { decision: "deny" });
        await turn.outcome;
      }

      const { halyard } = fixture;
      const unknown = halyard.update(session.id, { revoke: ["rule_nosuch"] });
      await expect(unknown).rejects.toMatchObject({ code: "invalid_input" });
      const revoke = rules.map(({ id }) => id);
      expect((await halyard.update(session.id, { revoke })).rules).toBeUndefined();
      const last = session.send("sh echo four");
      expect(await until(last, "request")).toMatchObject({ verdict: "ask" });
    });

    test("to edit a file elsewhere asks under allow-edits, and says why", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "allow-edits" });
      const turn = session.send("tool write ../escaped.txt a");
      expect(await until(turn, "request")).toMatchObject({
        verdict: "ask",
        reason: expect.stringContaining("outside the working directory"),
      });
    });

    test("that nobody answers in time is denied, and said so", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, {
        permissions: "ask",
        limits: { requestMs: 50 },
      });
      const turn = session.send("ask");
      expect(await turn.outcome).toMatchObject({ status: "completed", text: "denied" });
      expect(await story(turn)).toContain("response deny by timeout");
    });

    test("is denied at once where nobody is there", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "ask", attended: false });
      const turn = session.send("ask");
      expect(await turn.outcome).toMatchObject({ text: "denied" });
      expect(await until(turn, "response")).toMatchObject({
        by: "policy",
        text: expect.stringContaining("nobody"),
      });
    });

    test("is not answered by an option that says otherwise, or that was not offered", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "ask" });
      const turn = session.send("ask");
      const { requestId, options } = await until(turn, "request");
      const [allowing] = options.filter(({ decision }) => decision === "allow");
      for (const optionId of [allowing?.id ?? "", "nosuch"]) {
        const answer = session.answer(requestId, { decision: "deny", optionId });
        await expect(answer).rejects.toMatchObject({
          code: "invalid_input",
          message: expect.stringContaining("optionId"),
        });
      }
      expect(session.info.openRequests).toMatchObject([{ requestId }]);
      await session.answer(requestId, { decision: "allow", optionId: allowing?.id ?? "" });
      expect(await turn.outcome).toMatchObject({ text: "allowed" });
    });

    test("is answered with a key that only the runtime sees", async () => {
      await using fixture = await open();
      const key = "sk-nobody-reads-this";
      const session = await startFake(fixture, { env: { SERVICE_API_KEY: key } });
      const turn = session.send("question Which key?");
      const { requestId } = await until(turn, "request");
      await session.answer(requestId, { decision: "allow", text: `it is ${key}` });
      await turn.outcome;
      expect(JSON.stringify(await collect(turn))).not.toContain(key);
      expect(await until(turn, "response")).toMatchObject({ text: "it is [redacted]" });
    });

    test("may be a question, answered in words", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("question Which colour?");
      const request = await until(turn, "request");
      expect(request).toMatchObject({ kind: "question", text: "Which colour?" });
      await session.answer(request.requestId, { decision: "allow", text: "blue" });
      expect((await turn.outcome).text).toBe("blue");
    });

    test("that is open when its turn ends is settled with it", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "ask" });
      const turn = session.send("ask");
      await until(turn, "request");
      await turn.cancel();
      expect(await story(turn)).toContain("response deny by policy");
      expect(session.info.openRequests).toEqual([]);
    });

    test("that nobody knows is not found", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const answer = session.answer(newRequestId(), { decision: "allow" });
      await expect(answer).rejects.toMatchObject({ code: "request_not_found" });
    });
  });
}

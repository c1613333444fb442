import { describe, expect, test } from "vitest";
import { newRequestId } from "../../errors/require-id.ts";
import { collect, type OpenFixture, startFake, story, until } from "./fixture.ts";

/** Tests permission requests and questions. */
export function describeRequests(open: OpenFixture): void {
  describe("request", () => {
    test("is answered once, and rejects a second answer", async () => {
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

    test("can be denied with a reason, and the turn continues", async () => {
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
    ] as const)(
      "gets the verdict of the policy $permissions",
      async ({ permissions, edit, execute }) => {
        await using fixture = await open();
        // The fake agent requests permission under every policy except allow-all, under which only its `ask` command
        // does.
        const session = await startFake(fixture, { permissions, limits: { requestMs: 50 } });
        const turn = session.send("tool write a.txt a; sh true; ask");
        const requests = (await collect(turn)).filter((event) => event.type === "request");
        const verdicts = new Map(requests.map(({ tool, verdict }) => [tool?.kind, verdict]));
        if (permissions === "allow-all") expect([...verdicts]).toEqual([["other", "allow"]]);
        else expect([verdicts.get("edit"), verdicts.get("execute")]).toEqual([edit, execute]);
      },
    );

    test("creates a rule when the answer is the option always, and the rule applies until it is revoked", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "ask" });
      const first = session.send("sh echo one");
      const { requestId, options } = await until(first, "request");
      const option = options.find(({ rule }) => rule !== undefined);
      expect(option).toMatchObject({
        decision: "allow",
        label: expect.stringContaining('any "echo" command with shell'),
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

    test("is needed under allow-edits for a file outside the directory, and states the reason", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "allow-edits" });
      const turn = session.send("tool write ../escaped.txt a");
      expect(await until(turn, "request")).toMatchObject({
        verdict: "ask",
        reason: expect.stringContaining("outside the working directory"),
      });
    });

    test("is denied if its timeout expires without an answer", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, {
        permissions: "ask",
        limits: { requestMs: 50 },
      });
      const turn = session.send("ask");
      expect(await turn.outcome).toMatchObject({ status: "completed", text: "denied" });
      expect(await story(turn)).toContain("response deny by timeout");
    });

    test("is denied immediately in an unattended session", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "ask", attended: false });
      const turn = session.send("ask");
      expect(await turn.outcome).toMatchObject({ text: "denied" });
      expect(await until(turn, "response")).toMatchObject({
        by: "policy",
        text: expect.stringContaining("no one is available"),
      });
    });

    test("rejects an option that contradicts the decision or was not offered", async () => {
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

    test("redacts a secret in its answer from the events", async () => {
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

    test("can be a question that is answered with text", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send("question Which colour?");
      const request = await until(turn, "request");
      expect(request).toMatchObject({ kind: "question", text: "Which colour?" });
      await session.answer(request.requestId, { decision: "allow", text: "blue" });
      expect((await turn.outcome).text).toBe("blue");
    });

    test("is denied when its turn is cancelled", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { permissions: "ask" });
      const turn = session.send("ask");
      await until(turn, "request");
      await turn.cancel();
      expect(await story(turn)).toContain("response deny by policy");
      expect(session.info.openRequests).toEqual([]);
    });

    test("cannot be answered by an unknown id", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const answer = session.answer(newRequestId(), { decision: "allow" });
      await expect(answer).rejects.toMatchObject({ code: "request_not_found" });
    });
  });
}

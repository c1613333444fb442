import { describe, expect, test } from "vitest";
import type { RequestEvent } from "../../schema/event.ts";
import { collect, type OpenFixture, startFake, until } from "./fixture.ts";

/** Tests session budgets. */
export function describeBudgets(open: OpenFixture): void {
  const spend = "say hello; spend 600; spend 600; wait";

  describe("budget", () => {
    test("interrupts the turn after the model request that uses up the budget, and continues the turn if the budget is extended", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { budget: { tokens: 1000 } });
      const turn = session.send(spend);
      const request = await until(turn, "request");
      expect(request).toMatchObject({
        kind: "budget",
        verdict: "ask",
        budget: { scope: "session", unit: "tokens", limit: 1000, used: 1208, extendBy: 1000 },
        options: [{ id: "extend" }, { id: "unlimited" }, { id: "stop", decision: "deny" }],
      });
      expect(request).not.toHaveProperty("expiresAt");
      const info = await fixture.halyard.find(session.id);
      expect(info).toMatchObject({ state: "waiting", waiting: { reason: "budget" } });
      await session.answer(request.requestId, { decision: "allow" });
      expect(await turn.outcome).toMatchObject({
        status: "completed",
        text: "continued",
        // 7 words in the message, 1,200 tokens, and 21 words in the message that continues the turn
        usage: { inputTokens: 1228, outputTokens: 2 },
      });
      expect(session.info).toMatchObject({ turns: 1, usage: { inputTokens: 1228 } });
      expect(await session.send("say more").outcome).toMatchObject({ text: "more" });
    });

    test("ends the turn with `budget_exceeded` if the extension is denied, and asks again before the next message", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { budget: { tokens: 1000 } });
      const turn = session.send(spend);
      const { requestId } = await until(turn, "request");
      await session.answer(requestId, { decision: "deny", text: "Enough." });
      const { error } = await turn.outcome;
      expect(error).toMatchObject({ code: "budget_exceeded", retryable: false });
      expect(error?.message).toBe(
        "The budget of the session is used up: 1,208 tokens of 1,000 tokens. It was not extended. Enough.",
      );
      const next = session.send("say next");
      const again: RequestEvent = await until(next, "request");
      expect(again.text).toMatch(/Extend it\?$/);
      await session.answer(again.requestId, { decision: "allow", optionId: "unlimited" });
      expect(await next.outcome).toMatchObject({ text: "next" });
      const sent = (await collect(next)).filter(({ type }) => type === "message");
      expect(sent).toMatchObject([{ role: "user" }, { role: "assistant", text: "next" }]);
      expect(await session.send("spend 9000; say free").outcome).toMatchObject({ text: "free" });
    });

    test("ends the turn with `budget_exceeded` if the session is unattended", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { budget: { tokens: 1000 }, attended: false });
      expect(await session.send(spend).outcome).toMatchObject({
        status: "failed",
        error: { code: "budget_exceeded" },
        usage: { inputTokens: 1207 },
      });
    });

    test("lets the turn be interrupted while its request is open", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { budget: { tokens: 1000 } });
      const turn = session.send(spend);
      await until(turn, "request");
      await session.interrupt();
      expect(await turn.outcome).toMatchObject({ status: "cancelled" });
      expect((await fixture.halyard.find(session.id))?.openRequests).toEqual([]);
    });

    test("asks when the running time of turns has used up the budget", async () => {
      await using fixture = await open();
      const session = await startFake(fixture, { budget: { minutes: 0.005 } });
      const turn = session.send("say hello; wait");
      const { requestId, budget } = await until(turn, "request");
      expect(budget).toMatchObject({ unit: "minutes", limit: 0.005 });
      await session.answer(requestId, { decision: "deny" });
      expect(await turn.outcome).toMatchObject({ error: { code: "budget_exceeded" } });
    });
  });
}

import { expect, test } from "vitest";
import { createConnection, startSession } from "../../test/session/bare-session.ts";

test("confirms a message whose turn fails before `send` resolves", async () => {
  const failure = { code: "agent_failed", message: "it gave up", retryable: false } as const;
  const { connection, output } = createConnection({
    send: () => {
      output.push({ drafts: [{ type: "completion", status: "failed", error: failure }] });
      return new Promise(() => {}); // never resolves
    },
  });
  await using started = await startSession(connection);
  const { session } = started;
  await session.ready();
  const turn = session.send("x");
  expect(await turn.accepted).toEqual({ status: "confirmed" });
  expect(await turn.outcome).toMatchObject({ status: "failed", error: failure });
});

test("fails the delivery if the turn fails with `delivery_failed` before `send` resolves", async () => {
  const failure = { code: "delivery_failed", message: "not submitted", retryable: true } as const;
  const { connection, output } = createConnection({
    send: () => {
      output.push({ drafts: [{ type: "completion", status: "failed", error: failure }] });
      return new Promise(() => {});
    },
  });
  await using started = await startSession(connection);
  const { session } = started;
  await session.ready();
  expect(await session.send("x").accepted).toEqual({ status: "failed", error: failure });
});

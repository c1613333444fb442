import { expect, test } from "vitest";
import { createConnection, startSession } from "../../../test/session/bare-session.ts";
import { newTurnId } from "../../errors/require-id.ts";
import { collect } from "../../testing/halyard/fixture.ts";

test("does not send a message with a known id again, even after hundreds of other messages", async () => {
  const sent: string[] = [];
  const { connection, output } = createConnection({
    async send({ text }) {
      sent.push(text);
      const reply = { type: "message", role: "assistant", channel: "text" } as const;
      const message = { ...reply, messageId: text, text: `You said ${text}` };
      output.push({ drafts: [message, { type: "completion", status: "completed" }] });
      return { status: "confirmed" };
    },
  });
  await using started = await startSession(connection);
  const { session } = started;
  const id = newTurnId();
  const first = await session.send("first", { id }).outcome;
  for (let count = 0; count < 300; count++) await session.send(`message ${count}`).outcome;
  const again = session.send("first", { id });
  expect(await again.outcome).toEqual(first);
  expect(await again.accepted).toEqual({ status: "submitted" });
  expect((await collect(again)).at(-1)).toMatchObject({ type: "completion", turnId: id });
  expect(sent.filter((text) => text === "first")).toEqual(["first"]);
});

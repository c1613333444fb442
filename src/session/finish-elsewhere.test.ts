import { expect, test } from "vitest";
import { createConnection, startSession } from "../../test/session/bare-session.ts";
import { MemoryStore } from "../stores/memory.ts";

test("fails the turn of a detached session if the session is removed before the turn ends", async () => {
  const store = new MemoryStore();
  const bare = createConnection();
  const connection = { ...bare.connection, detach: async () => bare.output.end() };
  const { session } = await startSession(connection, store);
  const turn = session.send("x");
  await turn.accepted;
  await session.detach();
  await store.remove(session.id);
  expect(await turn.outcome).toMatchObject({
    status: "failed",
    error: { code: "session_stopped", message: expect.stringContaining("its log ended") },
  });
});

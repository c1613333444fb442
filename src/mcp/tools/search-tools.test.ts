import { expect, test } from "vitest";
import { openScene } from "../../../test/mcp/scene.ts";

test("session_search finds messages, newest first or by relevance, and excludes sessions with a looser policy", async () => {
  const { root, halyard, call } = await openScene("ask");
  for (const permissions of ["allow-all", "deny", "allow-all"] as const) {
    const session = await halyard.start({ runtime: "fake", cwd: root, permissions });
    for (const word of ["one", "two"]) await session.send(`say lighthouse ${word}`).outcome;
    await session.stop();
  }
  const [strict] = (await halyard.sessions()).filter(({ permissions }) => permissions === "deny");
  const hit = { sessionId: strict?.id, type: "message", role: "assistant" };
  expect(await call("session_search", { query: "lighthouse", max_hits: 3 })).toMatchObject({
    hits: [
      { ...hit, snippet: "lighthouse two" },
      { ...hit, role: "user", snippet: "say lighthouse two" },
      { ...hit, snippet: "lighthouse one" },
    ],
    pending: 0,
  });
  const ranked = { query: "lighthouse", order: "relevance", max_hits: 2 };
  expect(await call("session_search", ranked)).toMatchObject({
    hits: [
      { sessionId: strict?.id, snippet: "lighthouse two", score: expect.any(Number) },
      { sessionId: strict?.id, snippet: "lighthouse one" },
    ],
  });
  const free = await openScene();
  expect(await free.call("session_search", { query: '"' })).toEqual({ hits: [], pending: 0 });
});

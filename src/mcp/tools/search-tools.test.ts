import { expect, test } from "vitest";
import { openScene } from "../../../test/mcp/scene.ts";

test("session_search finds what was said, and leaves out sessions with a looser policy", async () => {
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
  const free = await openScene();
  expect(await free.call("session_search", { query: '"' })).toEqual({ hits: [], pending: 0 });
});

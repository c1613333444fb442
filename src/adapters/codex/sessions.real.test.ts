import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeSessions, openSessions } from "../../../test/real/describe-sessions.ts";
import { codexToolCalls as tools } from "./events/tool-calls.ts";
import { codexAdapter } from "./index.ts";

const codex = {
  createAdapter: codexAdapter,
  api: "openai-responses",
  shell: tools.shell,
} as const;

describe("Codex sessions [s1.codex.delivery]", () => describeSessions("a session", codex));

test("resumes from Codex's files in the session's own directory [s1.open.codex-resume]", async () => {
  const { halyard, home, model, endpoint, start } = await openSessions(codex);
  model.on("BANANA", { text: "I will remember." });
  model.on("which fruit", { text: "A banana." });
  const session = await start();
  await session.send("remember BANANA").outcome;
  await session.stop();
  const records = join(home, "halyard", "sessions", session.id, "codex", "sessions");
  const files = await readdir(records, { recursive: true });
  const { runtimeSessionId = "" } = session.info;
  expect(files.filter((file) => file.endsWith(`${runtimeSessionId}.jsonl`))).toHaveLength(1);

  const resumed = await halyard.resume(session.id, { model: endpoint });
  expect(resumed.opened).toBe("resumed");
  expect((await resumed.send("which fruit was it?").outcome).text).toBe("A banana.");
  const texts = model.requests.at(-1)?.messages.map(({ text }) => text);
  expect(texts).toContain("remember BANANA");
});

test("rejects a start without a login or a key", async () => {
  const { halyard, cwd } = await openSessions(codex);
  const refused = halyard.start({ runtime: "codex", cwd });
  await expect(refused).rejects.toMatchObject({ code: "not_signed_in" });
});

import { execFile } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeSessions, openSessions } from "../../../test/real/describe-sessions.ts";
import { hashesIn, ownAgents, startAgentUser } from "../../../test/real/own-agents.ts";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { createHalyard } from "../../create-halyard.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
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

test("lists a session that the user archived, and continues a copy of it", async () => {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  model.on("blue heron", { text: "Noted." });
  model.on("Which bird", { text: "A heron." });
  const { home, cwd, env } = await startAgentUser(ownAgents.codex, model, "I saw a blue heron.");
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await using halyard = await createHalyard({
    home: join(home, "halyard"),
    env,
    adapters: [codexAdapter({ env, runtimesDir })],
  });
  const before = await halyard.nativeSessions("codex", { cwd });
  const [{ id = "" } = {}] = before;
  const program = join(runtimesDir, "codex", "node_modules", ".bin", "codex");
  await promisify(execFile)(program, ["archive", id], { cwd, env });
  const archive = join(home, ".codex", "archived_sessions");
  const archived = await hashesIn(archive);
  expect(Object.keys(archived)).toEqual([expect.stringContaining(id)]);
  expect(await halyard.nativeSessions("codex", { cwd })).toEqual([
    { ...before[0], updatedAt: expect.any(String) },
  ]);
  const session = await halyard.start({
    runtime: "codex",
    cwd,
    continuedFrom: id,
    permissions: "deny",
    model: model.endpoint("openai-responses"),
  });
  expect(await session.send("Which bird?").outcome).toMatchObject({ text: "A heron." });
  expect(JSON.stringify(model.requests.at(-1))).toContain("I saw a blue heron.");
  await session.stop();
  expect(await hashesIn(archive)).toEqual(archived);
});

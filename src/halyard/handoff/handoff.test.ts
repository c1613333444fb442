import { join } from "node:path";
import { expect, test } from "vitest";
import { serve, TOKEN } from "../../../test/http/served.ts";
import { connectHalyard } from "../../client/index.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { handoff } from "./handoff.ts";

/** Two runtimes that differ by name, so that a handoff crosses runtimes. */
const adapters = [fakeAdapter(), { ...fakeAdapter(), name: "other" }];

async function openLocal() {
  const cwd = await temporaryDirectory();
  const halyard = await createHalyard({ home: join(cwd, "home"), env: {}, adapters });
  return { halyard, cwd, [Symbol.asyncDispose]: () => halyard[Symbol.asyncDispose]() };
}

async function openRemote() {
  const served = await serve({}, { adapters });
  const { url, cwd } = served;
  const halyard = await connectHalyard(url, { token: TOKEN });
  return {
    halyard,
    cwd,
    async [Symbol.asyncDispose]() {
      await halyard[Symbol.asyncDispose]();
      await served[Symbol.asyncDispose]();
    },
  };
}

async function runOld(halyard: Halyard, cwd: string, ...messages: string[]) {
  const session = await halyard.start({
    runtime: "fake",
    cwd,
    permissions: "allow-all",
    labels: { team: "a" },
  });
  await session.ready();
  await halyard.changes(session.id); // waits until the first checkpoint is recorded
  for (const message of messages) await session.send(message).outcome;
  return session;
}

test.each([
  ["in process", openLocal],
  ["on a server", openRemote],
])("hands a stopped session over to another runtime, %s", async (_, open) => {
  await using scene = await open();
  const { halyard, cwd } = scene;
  const file = join(cwd, "a.txt");
  const old = await runOld(halyard, cwd, `tool write ${file} hello; say half done`);
  await old.stop();
  const { session, turn, brief, notice } = await handoff(halyard, old.id, "other", {
    message: "Finish it.",
  });
  expect(session.info).toMatchObject({
    runtime: "other",
    cwd,
    permissions: "allow-all",
    labels: { team: "a" },
    handoff: { from: old.id },
  });
  await turn.outcome;
  const { log } = session.info.handoff ?? {};
  const path = log && "file" in log ? log.file : "";
  expect(brief).toBe(
    [
      `You take over work that another agent (fake, session ${old.id}) started in this directory. The memory of its model was not transferred: you have this brief, the files, and its log.`,
      `## Goal\n\n> tool write ${file} hello; say half done`,
      `## Latest messages\n\nuser:\n> tool write ${file} hello; say half done\n\nassistant:\n> half done`,
      "## Changed files\n\n- a.txt (added, +1 -0)",
      "## How the last turn ended\n\ncompleted",
      `## Log of the earlier session\n\nRead ${path} if you need more than this brief. It contains the messages, tool calls and results.`,
      "## Your task\n\nFinish it.",
    ].join("\n\n"),
  );
  expect(notice).toBe(
    `other received a brief and can read the log of ${old.id} with a transcript file. The memory of fake's model was not transferred.`,
  );
});

test("hands over a session whose turn failed, with the reason in the brief", async () => {
  await using scene = await openLocal();
  const { halyard, cwd } = scene;
  const old = await runOld(halyard, cwd, "fail You have reached your usage limit until 5 pm");
  const { brief } = await handoff(halyard, old.id, "other");
  expect(brief).toContain("failed: You have reached your usage limit until 5 pm");
  expect(brief).toContain("Check the state of the files, then continue with the goal.");
});

test("uses the goal of the first session in a chain, and does not nest briefs", async () => {
  await using scene = await openLocal();
  const { halyard, cwd } = scene;
  const first = await runOld(halyard, cwd, "say the very first goal");
  const second = await handoff(halyard, first.id, "other", { message: "say second" });
  await second.turn.outcome;
  const third = await handoff(halyard, second.session.id, "fake", { message: "say third" });
  expect(third.brief).toContain("## Goal\n\n> say the very first goal\n");
  expect(third.brief.match(/You take over work/g)).toHaveLength(1);
  expect(third.brief).toContain("user:\n> say second");
});

test("limits the length of the brief, but does not truncate the message", async () => {
  await using scene = await openLocal();
  const { halyard, cwd } = scene;
  const long = `say ${"word\n".repeat(8_000)}`;
  const old = await runOld(halyard, cwd, long, long, long, long);
  const message = "x".repeat(50_000);
  const { brief } = await handoff(halyard, old.id, "other", { message });
  expect(brief.endsWith(`\n\n${message}`)).toBe(true);
  expect(brief.length - message.length).toBeLessThan(32_000);
});

test("rejects a handoff while a turn of the old session is running", async () => {
  await using scene = await openLocal();
  const { halyard, cwd } = scene;
  const old = await runOld(halyard, cwd);
  await old.ready();
  await old.send("wait").accepted;
  await expect(handoff(halyard, old.id, "other")).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(`Run "halyard interrupt ${old.id}"`),
  });
  expect(await halyard.sessions()).toHaveLength(1);
});

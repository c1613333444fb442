import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openScene } from "../../../test/real/scene.ts";
import { claudeToolCalls } from "../../adapters/claude/events/tool-calls.ts";
import { claudeAdapter } from "../../adapters/claude/index.ts";
import { codexAdapter } from "../../adapters/codex/index.ts";
import { piAdapter } from "../../adapters/pi/index.ts";
import { collect } from "../../testing/halyard/fixture.ts";
import { handoff } from "./handoff.ts";

test("hands work off from Codex at a usage limit to Claude Code with a log tool, then to Pi with a log file", async () => {
  const { halyard, cwd, model } = await openScene((places) => [
    claudeAdapter(places),
    codexAdapter(places),
    piAdapter({ ...places, mode: "rpc" }),
  ]);
  const limit = { status: 429, message: "You have reached your usage limit." };
  model.on("Choose a secret word", { text: "The secret word is heron." });
  model.on("Count the birds", { error: limit });
  const permissions = "allow-all";
  const codex = await halyard.start({
    runtime: "codex",
    cwd,
    permissions,
    model: model.endpoint("openai-responses"),
  });
  await codex.send("Choose a secret word.").outcome;
  expect(await codex.send("Count the birds.").outcome).toMatchObject({ status: "failed" });

  model.on(
    "Continue to count",
    { toolCalls: [claudeToolCalls.mcp("halyard_log", "session_log")] },
    { text: "I know everything." },
  );
  const claude = await handoff(halyard, codex.id, "claude", {
    message: "Continue to count.",
    request: { model: model.endpoint("anthropic") },
  });
  const events = await collect(claude.turn);
  expect(claude.session.info.handoff).toEqual({
    from: codex.id,
    log: { server: "halyard_log", tool: "session_log" },
  });
  const sent = model.requests.flatMap(({ messages }) => messages.map(({ text }) => text));
  const brief = sent.find((text) => text.includes("You take over work"));
  expect(brief).toContain("## Goal\n\n> Choose a secret word.");
  expect(brief).toContain("assistant:\n> The secret word is heron.");
  expect(brief).toMatch(/## How the last turn ended\n\nfailed: .*429 Too Many Requests/);
  expect(events.find(({ type }) => type === "tool_result")).toMatchObject({
    isError: false,
    output: expect.stringContaining("The secret word is heron."),
  });
  expect(await claude.turn.outcome).toMatchObject({ text: "I know everything." });

  model.on("Write it down", { text: "Written." });
  const pi = await handoff(halyard, claude.session.id, "pi", {
    message: "Write it down.",
    request: { model: model.endpoint("anthropic") },
  });
  expect(await pi.turn.outcome).toMatchObject({ status: "completed", text: "Written." });
  expect(pi.brief).toContain("## Goal\n\n> Choose a secret word.");
  const { log } = pi.session.info.handoff ?? {};
  expect(await readFile(log && "file" in log ? log.file : "", "utf8")).toContain(
    "I know everything.",
  );
});

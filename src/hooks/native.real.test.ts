import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import { claudeAdapter } from "../adapters/claude/index.ts";
import { codexAdapter } from "../adapters/codex/index.ts";
import type { Adapter } from "../contracts/adapter.ts";
import { createHalyard } from "../create-halyard.ts";
import type { HookPayload } from "../schema/hook.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

/**
 * Creates a Halyard instance that runs a real program and records its hook payloads. Also returns the start request.
 */
async function openScene(
  adapterFor: (options: { env: Record<string, string>; runtimesDir: string }) => Adapter,
  api: "anthropic" | "openai-responses",
) {
  const root = await temporaryDirectory();
  const cwd = join(root, "work");
  await mkdir(cwd);
  const env = { PATH: process.env.PATH ?? "", HOME: root };
  const model = await startScriptedModel([{ replies: [{ text: "Hello." }] }]);
  const received: HookPayload[] = [];
  const adapter = adapterFor({ env, runtimesDir });
  const halyard = await createHalyard({
    home: join(root, "home"),
    env,
    adapters: [adapter],
    hooks: [(payload) => void received.push(payload)],
  });
  onTestFinished(async () => {
    await halyard[Symbol.asyncDispose]();
    await model.close();
  });
  const request = { runtime: adapter.name, cwd, model: model.endpoint(api) };
  const dispose = () => halyard[Symbol.asyncDispose]();
  return { halyard, request, received, dispose };
}

const inShort = ({ event, data }: HookPayload) => [
  event,
  data.source ?? data.opened ?? data.role ?? data.end_reason,
];

test("adds the data from Claude's own hooks to the start and stop events, and delivers each event once", async () => {
  const { halyard, request, received, dispose } = await openScene(claudeAdapter, "anthropic");
  const session = await halyard.start(request);
  await session.send("Hi").outcome;
  await session.send("/compact").outcome;
  await session.stop();
  const resumed = await halyard.resume(session.id, { model: request.model });
  await resumed.send("Again").outcome;
  await dispose();
  expect(received.map(inShort)).toEqual([
    ["SessionStart", "startup"],
    ["OnMessage", "user"],
    ["OnMessage", "assistant"],
    ["OnMessage", "user"],
    ["SessionStart", "compact"],
    ["SessionStop", "other"],
    ["SessionStart", "resume"],
    ["OnMessage", "user"],
    ["OnMessage", "assistant"],
    ["SessionStop", "other"],
  ]);
  expect(received[0]?.data).toMatchObject({
    opened: "started",
    transcript_path: expect.stringContaining(".jsonl"),
  });
});

test("delivers SessionStart and SessionStop for a Codex session [s1.codex.hook-wrapper]", async () => {
  const { halyard, request, received, dispose } = await openScene(codexAdapter, "openai-responses");
  const session = await halyard.start(request);
  await session.send("Hi").outcome;
  await dispose();
  expect(received.map(inShort)).toEqual([
    ...[
      ["SessionStart", "started"],
      ["OnMessage", "user"],
      ["OnMessage", "assistant"],
    ],
    ["SessionStop", undefined],
  ]);
  expect(received[0]?.data.pid).toEqual(expect.any(Number));
});

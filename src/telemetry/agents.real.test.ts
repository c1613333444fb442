import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import { OtlpReceiver } from "../../test/telemetry/otlp-receiver.ts";
import { claudeAdapter } from "../adapters/claude/index.ts";
import { codexAdapter } from "../adapters/codex/index.ts";
import { createHalyard } from "../create-halyard.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { traceIdOf } from "./span.ts";

test.each([
  ["claude", "anthropic"],
  ["codex", "openai-responses"],
] as const)("%s sends its own spans in the trace of its session", async (runtime, api) => {
  await using receiver = await OtlpReceiver.start();
  const model = await startScriptedModel();
  model.on("greet me", { text: "Hello." });
  const home = await temporaryDirectory();
  const cwd = join(home, "work");
  await mkdir(cwd);
  const env = { PATH: process.env.PATH, HOME: home };
  const adapters = [claudeAdapter({ env, runtimesDir }), codexAdapter({ env, runtimesDir })];
  const telemetry = { endpoint: receiver.endpoint, joinAgents: true };
  const halyard = await createHalyard({ home: join(home, "halyard"), env, adapters, telemetry });
  const session = await halyard.start({ runtime, cwd, model: model.endpoint(api) });
  const { status } = await session.send("greet me", { timeoutMs: 60_000 }).outcome;
  expect(status).toBe("completed");
  await session.stop();
  await halyard[Symbol.asyncDispose]();
  await model.close();
  expect(receiver.problems).toEqual([]);
  const own = receiver.spans.filter(({ scope }) => scope !== "halyard");
  const traces = new Set(own.map(({ traceId }) => traceId));
  expect(own.length).toBeGreaterThan(0);
  expect(traces).toContain(traceIdOf(session.id));
  expect(JSON.stringify(own)).not.toContain("greet me");
});

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { droidAdapter } from "../../adapters/droid/index.ts";
import { opencodeAdapter } from "../../adapters/opencode/index.ts";
import { HalyardError } from "../../core/error.ts";
import { createHalyard } from "../../create-halyard.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { newRuntime } from "./index.ts";

async function open(agent_runtime: "droid" | "opencode") {
  const home = await temporaryDirectory();
  const env = { PATH: process.env.PATH, HOME: home };
  const adapters = [droidAdapter({ env, runtimesDir }), opencodeAdapter({ env, runtimesDir })];
  const halyard = await createHalyard({ home: join(home, "halyard"), env, adapters });
  const model = await startScriptedModel();
  model.on("greet", { text: "Hello." });
  const workingDir = join(home, "work");
  await mkdir(workingDir);
  const runtime = newRuntime({ server: { agent_runtime } }, { halyard });
  onTestFinished(async () => {
    await runtime.close();
    await halyard[Symbol.asyncDispose]();
    await model.close();
  });
  const context = { workingDir, autonomy: "off", model: model.endpoint("openai-chat") } as const;
  return { halyard, model, runtime, context };
}

test("droid that is initialised is well, and nothing has to be started for that [s0.health.droid]", async () => {
  const { halyard, runtime, context } = await open("droid");
  await expect(runtime.initialize()).rejects.toMatchObject({ code: "not_signed_in" });
  await runtime.initialize(context);
  await runtime.ping();
  expect(await halyard.processes()).toEqual([]);
});

test("opencode is well as long as its server says so, and not once that has crashed [s0.health.opencode-up] [s0.health.opencode-down]", async () => {
  const { halyard, runtime, context } = await open("opencode");
  await runtime.initialize(context);
  const executor = await runtime.executeStreaming({ prompt: "greet me" });
  await executor.wait();
  await runtime.ping();
  const [session] = await halyard.sessions();
  process.kill(session?.pid ?? Number.NaN, "SIGKILL");
  await expect(runtime.ping()).rejects.toBeInstanceOf(HalyardError);
});

test("opencode runs on its agent for plans where the request says useSpec [s0.opencode.plan-agent]", async () => {
  const { model, runtime, context } = await open("opencode");
  await runtime.initialize(context);
  for (const useSpec of [true, false]) {
    await runtime.execute({ prompt: "greet me", useSpec });
    const heard = JSON.stringify(model.requests.at(-1)?.messages);
    expect(/plan mode/i.test(heard)).toBe(useSpec);
  }
});

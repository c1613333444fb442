import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createScene, type Scene } from "../../../../test/real/scene.ts";
import { piToolCalls } from "../events/tool-calls.ts";
import { piAdapter } from "../index.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await createScene((paths) => [piAdapter({ ...paths, mode: "sdk" })]);
});
afterAll(() => scene[Symbol.asyncDispose]());

test("causes no Node warning if many tool calls and model requests use the signal of a turn", async () => {
  const { halyard, cwd, model } = scene;
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const write = (index: number) => piToolCalls.write(`${index}.txt`, "");
  const many = { toolCalls: [...Array(20).keys()].map(write) };
  const single = [...Array(12).keys()].map((index) => ({ toolCalls: [write(index)] }));
  model.on("many", many, ...single, { text: "done" });
  await using session = await halyard.start({
    runtime: "pi",
    cwd,
    model: model.endpoint("openai-chat"),
    permissions: "deny",
  });
  expect(await session.send("many files").outcome).toMatchObject({ text: "done" });
  expect(warnings).toEqual([]);
});

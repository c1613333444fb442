import { afterAll, beforeAll, expect, test } from "vitest";
import { newAgentUser } from "../../../test/cli/agent-user.ts";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { program, StartedCli } from "../../../test/cli/start-cli.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel([
    { when: "review this\n\npiped words", replies: [{ text: "I read the pipe." }] },
    { when: "greet", replies: [{ text: "Hello there." }] },
  ]);
});
afterAll(() => model.close());

test("reads a large prompt from standard input", async () => {
  const user = await newAgentUser(model);
  const prompt = `greet me ${"x".repeat(2_000_000)}\n`;
  expect(await runWarm(user, ["run", ...user.agent, "--format", "quiet", "-"], prompt)).toEqual({
    exitCode: 0,
    stdout: "Hello there.\n",
    stderr: "",
  });
});

test("rejects an endless pipe when it exceeds the message size limit", async () => {
  const user = await newAgentUser(model);
  const args = [process.execPath, program, "run", ...user.agent].join(" ");
  const finished = new StartedCli(user, ["/bin/sh", "-c", `yes | ${args}`]).finished;
  expect(await finished).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining("exceeds the limit of 8 MiB"),
  });
});

test("appends piped input to the prompt", async () => {
  const user = await newAgentUser(model);
  const args = ["run", ...user.agent, "--format", "quiet", "review this"];
  expect(await runWarm(user, args, "piped words\n")).toEqual({
    exitCode: 0,
    stdout: "I read the pipe.\n",
    stderr: "",
  });
});

test("uses piped input as the prompt if none is given", async () => {
  const user = await newAgentUser(model);
  const args = ["run", ...user.agent, "--format", "quiet"];
  expect(await runWarm(user, args, "greet me\n")).toMatchObject({ stdout: "Hello there.\n" });
});

test("ignores a pipe that stays open without data, with a warning", async () => {
  const user = await newAgentUser(model);
  const args = [program, "run", ...user.agent, "--format", "quiet", "greet me"];
  expect(await new StartedCli(user, [process.execPath, ...args]).finished).toEqual({
    exitCode: 0,
    stdout: "Hello there.\n",
    stderr: expect.stringContaining("Standard input is a pipe without data and was ignored"),
  });
});

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeJsonFile } from "../config/json/write-json.ts";
import { createConfigReader } from "../config/reader.ts";
import { createHalyard } from "../create-halyard.ts";
import { HookPayload } from "../schema/hook.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

/** Creates a user's home and an untrusted working directory. */
async function openScene() {
  const root = await temporaryDirectory();
  const [home, cwd] = [join(root, "home"), join(root, "work")];
  await mkdir(cwd);
  const problems: string[] = [];
  const config = createConfigReader({ env: {}, home });
  const env = { PATH: process.env.PATH, SOME_API_KEY: "planted-secret-42" };
  const halyard = await createHalyard({
    home,
    env,
    config,
    adapters: [fakeAdapter()],
    onHookProblem: (problem) => void problems.push(problem),
  });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  const run = async (): Promise<void> => {
    const session = await halyard.start({ runtime: "fake", cwd });
    await session.send("say the key is planted-secret-42").outcome;
    await session.stop();
  };
  return { home, cwd, run, problems, dispose: () => halyard[Symbol.asyncDispose]() };
}

async function eventsIn(file: string): Promise<string[]> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines.map((line) => HookPayload.parse(JSON.parse(line)).event);
}

const all = ["SessionStart", "OnMessage", "OnMessage", "SessionStop"];

test("delivers each session's events to the hooks in config.json, and applies a change to the next session", async () => {
  const { home, cwd, run, problems, dispose } = await openScene();
  await writeJsonFile(join(home, "config.json"), { hooks: [{ file: "first.jsonl" }] });
  await run();
  const script = "cat >> second.jsonl; env >> env.txt";
  const command = ["/bin/sh", "-c", script];
  await writeJsonFile(join(home, "config.json"), { hooks: [{ command }] });
  await run();
  await dispose();
  expect(problems).toEqual([]);
  expect(await eventsIn(join(cwd, "first.jsonl"))).toEqual(all);
  expect(await eventsIn(join(cwd, "second.jsonl"))).toEqual(all);
  for (const file of ["first.jsonl", "second.jsonl", "env.txt"])
    expect(await readFile(join(cwd, file), "utf8")).not.toContain("planted-secret-42");
});

test("delivers to the hooks in a directory's halyard.json only after the user trusts the directory", async () => {
  const { home, cwd, run, dispose } = await openScene();
  await writeJsonFile(join(cwd, "halyard.json"), { hooks: [{ file: "events.jsonl" }] });
  await run();
  await expect(readFile(join(cwd, "events.jsonl"))).rejects.toThrow("ENOENT");
  await writeJsonFile(join(home, "trust.json"), { directories: [cwd] });
  await run();
  await dispose();
  expect(await eventsIn(join(cwd, "events.jsonl"))).toEqual(all);
});

test("reports a hook whose secret uses a variable that is not set, and delivers to the other hooks", async () => {
  const { home, cwd, run, problems, dispose } = await openScene();
  const hook = { url: "http://127.0.0.1:1/a?token=1", secret: "$" + "{MISSING}" };
  await writeJsonFile(join(home, "config.json"), { hooks: [hook, { file: "events.jsonl" }] });
  await run();
  await dispose();
  expect(problems).toEqual([
    expect.stringMatching(
      /^The hook http:\/\/127\.0\.0\.1:1\/… cannot sign its requests: .* MISSING .* The hook receives no events of ses_\w+\.$/,
    ),
  ]);
  expect(await eventsIn(join(cwd, "events.jsonl"))).toEqual(all);
});

test("createHalyard rejects an invalid hook", async () => {
  const home = await temporaryDirectory();
  const made = createHalyard({ home, env: {}, hooks: [{ url: "nowhere" }] });
  await expect(made).rejects.toMatchObject({ code: "invalid_input" });
});

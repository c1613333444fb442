import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createConfigReader } from "../config/reader.ts";
import { writeJsonFile } from "../config/write-json.ts";
import { createHalyard } from "../create-halyard.ts";
import { HookPayload } from "../schema/hook.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

/** A user's home and a directory to work in, which comes from anybody. */
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

test("hooks of config.json are told of every session, those of a change from the next one on", async () => {
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

test("hooks of a directory's halyard.json are told once the user trusts it", async () => {
  const { home, cwd, run, dispose } = await openScene();
  await writeJsonFile(join(cwd, "halyard.json"), { hooks: [{ file: "told.jsonl" }] });
  await run();
  await expect(readFile(join(cwd, "told.jsonl"))).rejects.toThrow("ENOENT");
  await writeJsonFile(join(home, "trust.json"), { directories: [cwd] });
  await run();
  await dispose();
  expect(await eventsIn(join(cwd, "told.jsonl"))).toEqual(all);
});

test("a hook that cannot sign is complained of by its name, and the others are told", async () => {
  const { home, cwd, run, problems, dispose } = await openScene();
  const hook = { url: "http://127.0.0.1:1/a?token=1", secret: "$" + "{MISSING}" };
  await writeJsonFile(join(home, "config.json"), { hooks: [hook, { file: "told.jsonl" }] });
  await run();
  await dispose();
  expect(problems).toEqual([
    expect.stringMatching(
      /^hook http:\/\/127\.0\.0\.1:1\/a cannot sign: its secret is the value of MISSING, .*; it is not told of ses_\w+$/,
    ),
  ]);
  expect(await eventsIn(join(cwd, "told.jsonl"))).toEqual(all);
});

test("createHalyard refuses a hook that makes no sense", async () => {
  const home = await temporaryDirectory();
  const made = createHalyard({ home, env: {}, hooks: [{ url: "nowhere" }] });
  await expect(made).rejects.toMatchObject({ code: "invalid_input" });
});

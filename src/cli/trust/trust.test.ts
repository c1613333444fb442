import { execFileSync } from "node:child_process";
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser, type User } from "../../../test/cli/start-cli.ts";

async function trusted({ home }: User): Promise<unknown> {
  return JSON.parse(await readFile(join(home, "trust.json"), "utf8")).directories;
}

test("adds a directory once, and removes it with --remove", async () => {
  const user = await newUser();
  await mkdir(join(user.cwd, "sub"));
  const cwd = await realpath(user.cwd);
  expect(await runWarm(user, ["trust"])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^~\/project is trusted, with all directories below it/),
  });
  await runWarm(user, ["trust", "."]);
  await runWarm(user, ["trust", "sub"]);
  expect(await trusted(user)).toEqual([cwd, join(cwd, "sub")]);
  await runWarm(user, ["trust", "--remove"]);
  expect(await trusted(user)).toEqual([join(cwd, "sub")]);
});

test("rejects a path that is not a directory", async () => {
  const user = await newUser();
  await writeFile(join(user.cwd, "file"), "");
  for (const name of ["file", "nowhere"]) {
    const { exitCode, stderr } = await runWarm(user, ["trust", name]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${name} is not a directory`),
    });
  }
});

test("--remove exits with 1 and names the parent directory if the parent is trusted", async () => {
  const user = await newUser();
  await mkdir(join(user.cwd, "sub"));
  await runWarm(user, ["trust"]);
  const { exitCode, stdout } = await runWarm(user, ["trust", "--remove", "sub"]);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 1,
    stdout:
      '~/project/sub is still trusted, because ~/project is. Run "halyard trust --remove ~/project".\n',
  });
});

test("--explain shows how Pi uses its settings in Halyard's process and in a separate process", async () => {
  const user = await newUser();
  const path = join(await realpath(user.cwd), ".pi/settings.json");
  await mkdir(join(user.cwd, ".pi"));
  await writeFile(path, '{ "shellPath": "./evil" }');
  const { stdout } = await runWarm(user, ["trust", "--explain", "--format", "json"]);
  expect(JSON.parse(stdout).settings).toMatchObject([
    { path, runtimes: ["pi"], use: expect.stringMatching(/^ignored by /) },
    { path, runtimes: ["pi as a process"], use: "the runtime refuses to start" },
  ]);
});

test("--explain lists each file, and whether the file is used, is ignored or prevents a start", async () => {
  const user = await newUser();
  const cwd = await realpath(user.cwd);
  expect((await runWarm(user, ["trust", "--explain"])).stdout).toBe(
    "~/project is not trusted\n  It has no settings that need trust.\n",
  );
  await mkdir(join(cwd, ".claude"));
  await mkdir(join(cwd, ".factory"));
  await writeFile(join(cwd, ".claude", "settings.json"), '{ "model": "x", "hooks": {} }');
  await writeFile(join(cwd, ".factory", "mcp.json"), '{ "mcpServers": {} }');
  const explain = async () =>
    JSON.parse((await runWarm(user, ["trust", "--explain", "--format", "json"])).stdout);
  expect(await explain()).toMatchObject({
    directory: cwd,
    trusted: false,
    settings: [
      {
        path: join(cwd, ".claude/settings.json"),
        runtimes: ["claude", "ccsdk"],
        keys: ["hooks"],
        use: "ignored by --setting-sources user",
      },
      { path: join(cwd, ".factory/mcp.json"), use: "the runtime refuses to start" },
    ],
  });
  const { stdout } = await runWarm(user, ["trust", "--explain"]);
  expect(stdout).toMatch(/^~\/project is not trusted\n {2}~\/project\/\.claude\/settings\.json /);
  expect(stdout).toContain("halyard trust ~/project");
  await runWarm(user, ["trust"]);
  expect(await explain()).toMatchObject({
    trusted: true,
    by: "list",
    directory: cwd,
    settings: [{ use: "used" }, { use: "used" }],
  });
});

test("--explain lists the filters that a repository defines", async () => {
  const user = await newUser();
  const cwd = await realpath(user.cwd);
  const git = (...args: string[]) => execFileSync("git", args, { cwd, env: user.env });
  git("init", "-q");
  git("config", "filter.x.clean", "evil");
  const { stdout } = await runWarm(user, ["trust", "--explain"]);
  expect(stdout).toMatch(
    /project\/\.git\/config +git +names programs that git runs: filter\.x\.clean +ignored by/,
  );
});

import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { projectOf } from "./config/project.ts";
import { findOpenCode, probeOpenCode } from "./find.ts";

async function program(file: string, script = ""): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

async function installed(modules: string): Promise<string> {
  const name = `opencode-${process.platform}-${process.arch}`;
  const root = join(modules, name);
  const file = await program(join(root, "bin", "opencode"));
  await writeFile(join(root, "package.json"), JSON.stringify({ name, version: "1.2.3" }));
  return file;
}

describe("program search", () => {
  test("does not fall back to another program if a path is configured", async () => {
    const directory = await temporaryDirectory();
    const bin = await program(join(directory, "mine"));
    const paths = { env: {}, runtimesDir: directory };
    expect(await findOpenCode({ ...paths, bin })).toEqual({ file: bin });
    const missing = findOpenCode({ ...paths, bin: join(directory, "not-there") });
    await expect(missing).rejects.toMatchObject({ code: "runtime_unavailable" });
  });

  test("uses a program on the PATH without a package only if Halyard has not installed OpenCode", async () => {
    const directory = await temporaryDirectory();
    const own = await program(join(directory, "bin", "opencode"), "echo 1.4.0");
    const paths = { env: { PATH: `/nowhere:${dirname(own)}` }, runtimesDir: directory };
    expect(await findOpenCode(paths)).toEqual({ file: own, version: "1.4.0" });
    const ours = await installed(join(directory, "opencode", "node_modules"));
    expect(await findOpenCode(paths)).toEqual({ file: ours, version: "1.2.3" });
  });

  test("resolves npm's script to the native program", async () => {
    const directory = await temporaryDirectory();
    const modules = join(directory, "lib", "node_modules");
    const wrapper = await program(join(modules, "opencode-ai", "bin", "opencode.exe"));
    const native = await installed(modules);
    await mkdir(join(directory, "bin"));
    await symlink(wrapper, join(directory, "bin", "opencode"));
    const env = { PATH: join(directory, "bin") };
    expect(await findOpenCode({ env, runtimesDir: directory })).toEqual({
      file: native,
      version: "1.2.3",
    });
  });

  test("falls back to the program that Halyard installed, or reports that OpenCode is missing", async () => {
    const runtimesDir = await temporaryDirectory();
    expect(await probeOpenCode({ env: {}, runtimesDir })).toEqual({
      available: false,
      reason: "OpenCode is not installed",
      hint: 'run "halyard runtime install opencode"',
    });
    const program = await installed(join(runtimesDir, "opencode", "node_modules"));
    const found = { available: true, program, version: "1.2.3" };
    expect(await probeOpenCode({ env: {}, runtimesDir })).toEqual(found);
  });
});

describe("a directory's project", () => {
  test("is its repository, for any subdirectory or worktree", async () => {
    const root = await temporaryDirectory();
    const [main, tree] = [join(root, "main"), join(root, "tree")];
    await mkdir(join(main, ".git", "worktrees", "tree"), { recursive: true });
    await mkdir(join(main, "a", "b"), { recursive: true });
    await mkdir(tree);
    await writeFile(join(tree, ".git"), `gitdir: ${join(main, ".git", "worktrees", "tree")}\n`);
    const project = await projectOf(main);
    expect(await projectOf(join(main, "a", "b"))).toBe(project);
    expect(await projectOf(tree)).toBe(project);
  });

  test("is the same for all directories outside a repository", async () => {
    const [one, other] = [await temporaryDirectory(), await temporaryDirectory()];
    expect(await projectOf(one)).toBe(await projectOf(other));
  });
});

test("reports a version that is too old as unavailable", async () => {
  const directory = await temporaryDirectory();
  const file = await program(join(directory, "opencode"), "echo 1.0.9");
  const env = { PATH: `${directory}:/usr/bin:/bin` };
  expect(await probeOpenCode({ env, runtimesDir: join(directory, "none") })).toMatchObject({
    available: false,
    reason: `${file} is OpenCode 1.0.9, but the oldest supported version is 1.1.0`,
  });
});

test("reports that OpenCode 2 has a different API, with the command that runs OpenCode 2 over ACP", async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, "opencode");
  await writeFile(file, "#!/bin/sh\necho 2.0.14\n", { mode: 0o755 });
  const env = { PATH: `${directory}:/usr/bin:/bin` };
  expect(await probeOpenCode({ env, runtimesDir: join(directory, "none") })).toEqual({
    available: false,
    reason: `${file} is OpenCode 2.0.14. OpenCode 2 has a different API. Run it over ACP: halyard run --runtime acp --command "opencode acp"`,
    hint: 'run "halyard runtime install opencode"',
  });
});

import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { ProgramPaths } from "../../programs/program.ts";
import { findProgram, probeProgram } from "../../programs/program.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { codexSearch } from "./find.ts";

const findCodex = (paths: ProgramPaths) => findProgram(codexSearch(paths));
const probeCodex = (paths: ProgramPaths) => probeProgram(codexSearch(paths));

let directory = "";
let bin = "";
let runtimesDir = "";

beforeEach(async () => {
  directory = await temporaryDirectory();
  bin = join(directory, "bin");
  runtimesDir = join(directory, "runtimes");
  await mkdir(bin);
});

async function program(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "");
  await chmod(file, 0o755);
  return file;
}

const targets: Record<string, string> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};
const platform = `${process.platform}-${process.arch}`;

/** Installs Codex as npm does: the launcher script in one package, the program in another. */
async function install(root: string, version: string): Promise<string> {
  const scope = join(root, "node_modules", "@openai");
  const script = await program(join(scope, "codex", "bin", "codex.js"));
  await writeFile(
    join(scope, "codex", "package.json"),
    JSON.stringify({ name: "@openai/codex", version }),
  );
  await program(
    join(scope, `codex-${platform}`, "vendor", targets[platform] ?? "", "bin", "codex"),
  );
  return script;
}

const nativeIn = (root: string) =>
  join(
    root,
    "node_modules/@openai",
    `codex-${platform}`,
    "vendor",
    targets[platform] ?? "",
    "bin/codex",
  );

test("resolves npm's launcher script to the program", async () => {
  const root = join(directory, "lib");
  await symlink(await install(root, "0.170.0"), join(bin, "codex"));
  const found = await findCodex({ env: { PATH: bin }, runtimesDir });
  expect(found).toEqual({ file: nativeIn(root), version: "0.170.0" });
});

test("finds the user's program and its version if npm did not install it", async () => {
  const file = await program(join(bin, "codex"));
  await writeFile(file, "#!/bin/sh\necho codex-cli 0.170.1\n");
  const found = await findCodex({ env: { PATH: `relative:${bin}` }, runtimesDir });
  expect(found).toEqual({ file, version: "0.170.1" });
});

test("reports a missing npm program, or falls back to Halyard's installation if there is one", async () => {
  const broken = join(directory, "lib");
  const script = await install(broken, "0.170.0");
  await writeFile(script, "#!/bin/sh\necho Missing optional dependency; exit 1\n");
  await rm(nativeIn(broken));
  await symlink(script, join(bin, "codex"));
  const options = { env: { PATH: `${bin}:${process.env.PATH}` }, runtimesDir };
  expect(await probeCodex(options)).toMatchObject({
    available: false,
    reason: expect.stringMatching(/Missing optional dependency/),
  });
  const installed = join(runtimesDir, "codex");
  await install(installed, "0.166.0");
  expect(await findCodex(options)).toEqual({ file: nativeIn(installed), version: "0.166.0" });
});

test("reports a program that is too old, or falls back to Halyard's installation if there is one", async () => {
  const old = join(directory, "lib");
  await symlink(await install(old, "0.99.0"), join(bin, "codex"));
  const options = { env: { PATH: bin }, runtimesDir };
  expect(await probeCodex(options)).toEqual({
    available: false,
    reason: expect.stringContaining("the oldest supported version is 0.163.0"),
    hint: 'run "halyard runtime install codex"',
  });
  const installed = join(runtimesDir, "codex");
  await install(installed, "0.166.0");
  expect(await findCodex(options)).toEqual({ file: nativeIn(installed), version: "0.166.0" });
  expect(await probeCodex(options)).toMatchObject({ available: true, version: "0.166.0" });
});

test("does not fall back to another program if the requested program does not exist", async () => {
  const file = await program(join(directory, "my-codex"));
  await install(join(runtimesDir, "codex"), "0.166.0");
  expect(await findCodex({ bin: file, env: {}, runtimesDir })).toEqual({ file });
  const missing = findCodex({ bin: "/nowhere/codex", env: {}, runtimesDir });
  await expect(missing).rejects.toMatchObject({ code: "runtime_unavailable" });
});

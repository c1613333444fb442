import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { findClaude, probeClaude } from "./find.ts";
import { isSignedIn } from "./settings/sign-in.ts";

async function program(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "#!/bin/sh\n");
  await chmod(file, 0o755);
  return file;
}

/** Creates a program in a package, as npm installs it. */
async function packaged(directory: string, file: string, version: string): Promise<string> {
  const found = await program(join(directory, file));
  const manifest = { name: "@anthropic-ai/claude-code", version };
  await writeFile(join(directory, "package.json"), JSON.stringify(manifest));
  return found;
}

async function setUp() {
  const root = await temporaryDirectory();
  const bin = join(root, "bin");
  const platform = `claude-code-${process.platform}-${process.arch}`;
  await mkdir(bin);
  return {
    root,
    paths: { env: { PATH: bin }, runtimesDir: join(root, "runtimes") },
    linkOwn: (target: string) => symlink(target, join(bin, "claude")),
    own: join(bin, "claude"),
    installed: join(root, "runtimes/claude/node_modules/@anthropic-ai", platform),
  };
}

test("prefers the user's program to the program that Halyard installed", async () => {
  const { root, paths, own, linkOwn, installed } = await setUp();
  await linkOwn(await packaged(join(root, "npm"), "bin/claude.exe", "2.1.300"));
  await packaged(installed, "claude", "2.1.325");
  expect(await findClaude(paths)).toEqual({ file: own, version: "2.1.300" });
});

test("reads the version from the path that Claude's own installer creates", async () => {
  const { root, paths, own, linkOwn } = await setUp();
  await linkOwn(await program(join(root, "share/claude/versions/2.1.310")));
  expect(await findClaude(paths)).toEqual({ file: own, version: "2.1.310" });
});

test("prefers the program that Halyard installed if the user's program is too old", async () => {
  const { root, paths, linkOwn, installed } = await setUp();
  await linkOwn(await packaged(join(root, "npm"), "cli.js", "2.1.90"));
  expect(await probeClaude(paths)).toMatchObject({
    available: false,
    reason: expect.stringContaining("2.1.90"),
    hint: 'run "halyard runtime install claude"',
  });
  const file = await packaged(installed, "claude", "2.1.325");
  expect(await probeClaude(paths)).toEqual({ available: true, program: file, version: "2.1.325" });
});

test("reports the command that installs Claude Code if it is missing", async () => {
  const { paths } = await setUp();
  expect(await probeClaude(paths)).toEqual({
    available: false,
    reason: "Claude Code is not installed",
    hint: 'run "halyard runtime install claude"',
  });
});

test("finds the requested program, and rejects if it does not exist", async () => {
  const { root, paths } = await setUp();
  const file = await program(join(root, "elsewhere/my-claude"));
  expect(await findClaude({ ...paths, bin: file })).toEqual({ file });
  await expect(findClaude({ ...paths, bin: `${file}-not` })).rejects.toMatchObject({
    code: "runtime_unavailable",
  });
});

test("detects a sign-in from a key, a login file or the settings", async () => {
  const home = await temporaryDirectory();
  const env = { HOME: home };
  const signedOut = process.platform === "darwin" ? undefined : false;
  expect(await isSignedIn(env)).toBe(signedOut);
  expect(await isSignedIn({ ...env, ANTHROPIC_API_KEY: "sk" })).toBe(true);
  await mkdir(join(home, ".claude"));
  await writeFile(join(home, ".claude", "settings.json"), '{"apiKeyHelper":"key.sh"}');
  expect(await isSignedIn(env)).toBe(true);
  const other = join(home, "other");
  await mkdir(other);
  expect(await isSignedIn({ ...env, CLAUDE_CONFIG_DIR: other })).toBe(signedOut);
  await writeFile(join(other, ".credentials.json"), '{"claudeAiOauth":{}}');
  expect(await isSignedIn({ ...env, CLAUDE_CONFIG_DIR: other })).toBe(true);
});

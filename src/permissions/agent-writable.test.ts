import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import {
  linkAgentFile,
  listAgentFiles,
  makeAgentDirectory,
  readAgentFile,
  removeAgentFiles,
  writeAgentFile,
} from "./agent-writable.ts";

/** Creates an agent directory and, next to it, files of the host. */
async function setUp() {
  const directory = await temporaryDirectory();
  const root = join(directory, "sessions", "one");
  const host = join(directory, "host");
  mkdirSync(join(host, "codex"), { recursive: true });
  writeFileSync(join(host, "config.toml"), "the host's");
  writeFileSync(join(host, "codex", "config.toml"), "the host's");
  return { directory, root, host };
}

describe("files in a directory that an agent can write to", () => {
  test("writes and reads a file, and creates its directories", async () => {
    const { root } = await setUp();
    writeAgentFile(root, "codex/config.toml", "ours");
    expect(readAgentFile(root, "codex/config.toml")).toBe("ours");
    expect(lstatSync(join(root, "codex/config.toml")).mode & 0o777).toBe(0o600);
    expect(listAgentFiles(root, "codex")).toEqual([{ name: "config.toml", isDirectory: false }]);
  });

  test.each([
    ["the file", "codex/config.toml", "config.toml"],
    ["its directory", "codex", "codex"],
    ["the root itself", "", ""],
  ])(
    "replaces %s if it is a link, and does not change the host's file",
    async (_, planted, target) => {
      const { root, host, directory } = await setUp();
      mkdirSync(join(root, "codex"), { recursive: true });
      removeAgentFiles(root, planted);
      symlinkSync(join(host, target), join(root, planted));
      expect(readAgentFile(root, "codex/config.toml")).toBeUndefined();
      expect(listAgentFiles(root, "codex").map(({ name }) => name)).not.toContain("secret");
      writeAgentFile(root, "codex/config.toml", "ours");
      expect(readFileSync(join(root, "codex/config.toml"), "utf8")).toBe("ours");
      for (const path of ["host/config.toml", "host/codex/config.toml"])
        expect(readFileSync(join(directory, path), "utf8")).toBe("the host's");
    },
  );

  test("replaces a directory that has the file's name", async () => {
    const { root } = await setUp();
    mkdirSync(join(root, "config.toml", "deep"), { recursive: true });
    writeAgentFile(root, "config.toml", "ours");
    expect(readAgentFile(root, "config.toml")).toBe("ours");
  });

  test("does not read a pipe or a hard link", async () => {
    const { root, host } = await setUp();
    makeAgentDirectory(root);
    execFileSync("mkfifo", [join(root, "pipe")]);
    linkSync(join(host, "config.toml"), join(root, "hard"));
    expect(readAgentFile(root, "pipe")).toBeUndefined();
    expect(readAgentFile(root, "hard")).toBeUndefined();
  });

  test("returns the start of a file that exceeds the limit, or throws if the caller needs the whole file", async () => {
    const { root } = await setUp();
    writeAgentFile(root, "record.jsonl", "0123456789");
    expect(readAgentFile(root, "record.jsonl", { maxBytes: 4 })).toBe("0123");
    expect(readAgentFile(root, "record.jsonl", { maxBytes: 10, isWhole: true })).toBe("0123456789");
    expect(() => readAgentFile(root, "record.jsonl", { maxBytes: 9, isWhole: true })).toThrow(
      expect.objectContaining({ code: "limit_exceeded" }),
    );
  });

  test("removes a tree with deep directories and invalid UTF-8 names, but not the targets of its links", async () => {
    const { root, host } = await setUp();
    makeAgentDirectory(root);
    symlinkSync(host, join(root, "link"));
    execFileSync("sh", ["-c", `printf x > "$(printf 'bad\\377name')"`], { cwd: root });
    const nest = `for (let i = 0; i < 600; i++) { fs.mkdirSync("directory"); process.chdir("directory"); } fs.writeFileSync("x", "")`;
    execFileSync(process.execPath, ["-e", nest], { cwd: root });
    removeAgentFiles(root);
    expect(existsSync(root)).toBe(false);
    expect(await readdir(host)).toEqual(["codex", "config.toml"]);
  });

  test("removes one file, and has no effect if the file does not exist", async () => {
    const { root, host } = await setUp();
    linkAgentFile(root, "codex/auth.json", join(host, "config.toml"));
    expect(readlinkSync(join(root, "codex/auth.json"))).toBe(join(host, "config.toml"));
    removeAgentFiles(root, "codex/auth.json");
    removeAgentFiles(root, "codex/auth.json");
    removeAgentFiles(join(root, "none"));
    expect(listAgentFiles(root, "codex")).toEqual([]);
    expect(existsSync(join(host, "config.toml"))).toBe(true);
  });

  test("rejects a path that leaves the directory", async () => {
    const { root } = await setUp();
    expect(() => writeAgentFile(root, "../../host/config.toml", "x")).toThrow(/is outside/);
  });

  test.runIf(process.getuid?.() === 0)(
    "makes the directory's owner the owner of files that root writes",
    async () => {
      const { root } = await setUp();
      makeAgentDirectory(root);
      execFileSync("chown", ["1000:1000", root]);
      chmodSync(root, 0o700);
      writeAgentFile(root, "codex/config.toml", "ours");
      for (const path of ["codex", "codex/config.toml"])
        expect(lstatSync(join(root, path))).toMatchObject({ uid: 1000, gid: 1000 });
    },
  );
});

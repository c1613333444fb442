import { execFile } from "node:child_process";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** A git repository of a user, with one commit. */
export interface UserRepository {
  readonly root: string;
  /** Runs git as the user would, and returns its output. */
  git(...args: string[]): Promise<string>;
  gitIn(directory: string, ...args: string[]): Promise<string>;
  write(path: string, text: string): Promise<void>;
  /** Writes a file, commits everything, and returns the commit. */
  commit(path: string, text: string): Promise<string>;
}

export async function newRepository(
  files: Readonly<Record<string, string>> = { "a.txt": "one\n" },
  { format = "sha1" }: { readonly format?: "sha1" | "sha256" } = {},
): Promise<UserRepository> {
  const root = join(await realpath(await temporaryDirectory()), "shop");
  await mkdir(root);
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1", ...identity };
  const gitIn = async (cwd: string, ...args: string[]) =>
    (await promisify(execFile)("git", args, { cwd, env })).stdout.trim();
  const git = (...args: string[]) => gitIn(root, ...args);
  const write = async (path: string, text: string) => {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const commit = async (path: string, text: string) => {
    await write(path, text);
    await git("add", "--all");
    await git("commit", "--quiet", "-m", `Change ${path}`);
    return git("rev-parse", "HEAD");
  };
  await git("init", "--quiet", "-b", "main", `--object-format=${format}`);
  for (const [path, text] of Object.entries(files)) await write(path, text);
  await git("add", "--all");
  await git("commit", "--quiet", "--allow-empty", "-m", "Start");
  return { root, git, gitIn, write, commit };
}

const identity = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@localhost",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@localhost",
};

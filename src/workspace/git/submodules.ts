import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type BytePath, recordsOf, toText } from "../byte-path.ts";
import { type Repository, repositoryAt } from "./find-repository.ts";
import { type GitOptions, runGit } from "./git.ts";

/**
 * Returns a repository's submodules that are checked out, with their own submodules. `git status` compares each
 * submodule's files, using the settings in the submodule's own configuration. Rejects if the index cannot be read.
 */
export async function findSubmodules(
  repository: Repository,
  options: Pick<GitOptions, "env" | "home">,
): Promise<Repository[]> {
  const found = new Map<string, Repository>();
  const visit = async (outer: Repository): Promise<void> => {
    if (!(await mayHaveSubmodules(outer.gitDir))) return; // git need not be started
    for (const path of await submodulePaths(outer, options)) {
      const inner = await repositoryAt(join(outer.root, path));
      if (inner === undefined || found.has(inner.root)) continue;
      found.set(inner.root, inner);
      await visit(inner);
    }
  };
  await visit(repository);
  return [...found.values()];
}

/** True if an index file contains a submodule's mode, as four bytes. */
async function mayHaveSubmodules(gitDir: string): Promise<boolean> {
  const names = await readdir(gitDir).catch(() => []);
  const files = names.filter((name) => name === "index" || name.startsWith("sharedindex."));
  const contents = await Promise.all(files.map((name) => contentOf(join(gitDir, name))));
  return contents.some((content) => content.includes(MODE));
}

const MODE = Buffer.from([0, 0, 0o160000 >> 8, 0]);

function contentOf(file: string): Promise<Buffer> {
  return readFile(file).catch(() => Buffer.alloc(0));
}

async function submodulePaths(
  { root, gitDir }: Repository,
  options: Pick<GitOptions, "env" | "home">,
): Promise<string[]> {
  const git = { ...options, gitDir, workTree: root };
  const { stdout } = await runGit(["ls-files", "--stage", "-z"], git);
  const entries = recordsOf(stdout).filter((entry) => entry.startsWith("160000 "));
  return entries.map((entry) => toPath(entry.slice(entry.indexOf("\t") + 1)));
}

/** Converts a path to text. Throws if it is not UTF-8, because the text would not open the directory. */
function toPath(path: BytePath): string {
  const text = toText(path);
  if (Buffer.from(text).toString("latin1") === path) return text;
  throw new Error(`The submodule path "${text}" is not valid UTF-8. Rename the directory.`);
}

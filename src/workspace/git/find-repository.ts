import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** A git repository, or one of its worktrees. */
export interface Repository {
  /** The directory that contains `.git`. Links are resolved. */
  readonly root: string;
  /** This worktree's git directory. */
  readonly gitDir: string;
  /** The git directory that all worktrees share: objects, branches and configuration. */
  readonly commonDir: string;
}

/**
 * Returns the repository that contains a directory, or undefined. Does not read any configuration, so that a repository
 * cannot redirect its working tree to another directory. Links are resolved. Rejects if the directory does not exist.
 */
export async function findRepository(directory: string): Promise<Repository | undefined> {
  let root = await realpath(directory);
  for (;;) {
    const repository = await repositoryAt(root);
    if (repository !== undefined) return repository;
    const parent = dirname(root);
    if (parent === root) return undefined;
    root = parent;
  }
}

/** Returns the repository whose root is this directory, or undefined. The path has no links. */
export async function repositoryAt(root: string): Promise<Repository | undefined> {
  const gitDir = await gitDirectoryAt(join(root, ".git"));
  if (gitDir === undefined) return undefined;
  const common = await contentOf(join(gitDir, "commondir"));
  const commonDir = common === undefined ? gitDir : resolve(gitDir, common);
  const isComplete =
    (await isFileOrLink(join(gitDir, "HEAD"))) && (await isDirectory(`${commonDir}/objects`));
  return isComplete ? { root, gitDir, commonDir } : undefined;
}

/** Returns the git directory. In a worktree or submodule, `.git` is a file that contains its path. */
async function gitDirectoryAt(path: string): Promise<string | undefined> {
  if (await isDirectory(path)) return path;
  const named = /^gitdir: (.+)$/s.exec((await contentOf(path)) ?? "")?.[1];
  return named === undefined ? undefined : resolve(dirname(path), named);
}

/**
 * Returns a file's content without trailing line breaks. Keeps other line breaks, because git accepts them in a path.
 */
async function contentOf(file: string): Promise<string | undefined> {
  if (!(await isFile(file))) return undefined;
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text?.replace(/[\r\n]+$/, "");
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

/** True for a file or a link. Git accepts a link to a branch, even if the branch has no commits. */
async function isFileOrLink(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true || found?.isSymbolicLink() === true;
}

import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/**
 * Returns a directory's project: the main worktree of its repository, or the empty string outside a repository.
 * OpenCode uses the same definition.
 */
export async function projectOf(directory: string): Promise<string> {
  const real = await realpath(directory).catch(() => resolve(directory));
  for (let at = real; ; at = dirname(at)) {
    const repository = await repositoryAt(at);
    if (repository !== undefined) return repository;
    if (dirname(at) === at) return NO_PROJECT;
  }
}

const NO_PROJECT = "";

async function repositoryAt(directory: string): Promise<string | undefined> {
  const git = join(directory, ".git");
  const found = await stat(git).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return directory;
  const pointer = /^gitdir: (.+)$/m.exec(await readFile(git, "utf8").catch(() => ""))?.[1];
  if (pointer === undefined) return undefined;
  const main = /^(.+)[/\\]\.git[/\\]worktrees[/\\][^/\\]+$/.exec(resolve(directory, pointer))?.[1];
  return main ?? directory;
}

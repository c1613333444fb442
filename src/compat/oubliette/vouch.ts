import { realpath } from "node:fs/promises";
import { dirname, relative } from "node:path";
import type { Config, ConfigFile, LocalFile } from "../../config/config.ts";
import type { Environment } from "../../config/paths.ts";
import { findRepository } from "../../workspace/git/find-repository.ts";
import { GitError, runGit } from "../../workspace/git/git.ts";

/**
 * Trusts the models and the Factory key in the caller's config directory, unless git tracks the file or cannot read the
 * repository. A tracked file may come from someone else, because git tracks every file that a clone creates. Servers keep
 * these two files out of git.
 */
export async function vouchFor(
  config: Config,
  directory: string,
  env: Environment,
): Promise<Config> {
  const isOwn = async ({ path }: ConfigFile<unknown>): Promise<boolean> =>
    dirname(path) === directory && !(await isTracked(path, env));
  const { models, factory } = config;
  return {
    ...config,
    ...(isDoubtful(models) && { models: { ...models, isTrusted: await isOwn(models) } }),
    ...(isDoubtful(factory) && { factory: { ...factory, isTrusted: await isOwn(factory) } }),
  };
}

function isDoubtful<F extends Partial<LocalFile<unknown>>>(file: F | undefined): file is F {
  return file?.value !== undefined && file.isTrusted === false;
}

/** True if git tracks a file, or if git cannot read the repository. Follows links, because a repository can contain links. */
async function isTracked(path: string, env: Environment): Promise<boolean> {
  const file = await realpath(path);
  const repository = await findRepository(dirname(file));
  if (repository === undefined) return false;
  const { root: workTree, gitDir } = repository;
  const list = ["--literal-pathspecs", "ls-files", "--error-unmatch", "--"];
  try {
    const exitCodes = [0, 1]; // git exits with 1 if it does not track the file
    const args = [...list, relative(workTree, file)];
    return (await runGit(args, { gitDir, workTree, env, exitCodes })).exitCode === 0;
  } catch (error) {
    if (error instanceof GitError) return true;
    throw error;
  }
}

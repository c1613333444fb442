import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryFilters } from "../../contracts/halyard-parts.ts";
import { HalyardError } from "../../errors/error.ts";
import { type Environment, homeIn } from "../../programs/environment.ts";
import type { GitSetting } from "../../programs/git-settings.ts";
import { findRepository, type Repository } from "./find-repository.ts";
import { GitError, type GitOptions, listSettings } from "./git.ts";
import { filtersOff } from "./git-environment.ts";
import { findSubmodules } from "./submodules.ts";

/**
 * Returns the filters that a repository's own configuration, or one of its submodules' configurations, defines, and the
 * settings that disable them. Git runs them when it compares files, for example during `git status`. Returns undefined
 * if there is no repository, no filter, or only Git LFS filters in their usual form. Rejects with `untrusted_directory`
 * if the configuration cannot be read or the submodules cannot be listed.
 */
export async function repositoryFilters(
  cwd: string,
  env: Environment,
): Promise<RepositoryFilters | undefined> {
  const repository = await findRepository(cwd).catch(() => undefined);
  if (repository === undefined) return undefined;
  const all = [repository, ...(await submodulesOf(repository, env))];
  const settings = await Promise.all(all.map((one) => settingsOf(one, env, MAY_DEFINE_FILTERS)));
  const found = settings.filter((one) => one !== undefined).filter(hasFilters);
  const [first] = found;
  if (first === undefined) return undefined;
  const names = found.flatMap((one) => one.settings.map(([name]) => name));
  const keys = [...new Set(names.filter((name) => FILTER.test(name)))];
  return { path: first.path, directory: repository.root, keys, off: filtersOff(names) };
}

function hasFilters({ settings }: RepositorySettings): boolean {
  return filtersOff(settings.map(([name]) => name)).length > 0;
}

async function submodulesOf(repository: Repository, env: Environment): Promise<Repository[]> {
  try {
    return await findSubmodules(repository, { env, home: homeIn(env) });
  } catch (cause) {
    if (cause instanceof GitError && cause.reason === "missing") return []; // without git, nothing can run the filters
    const message = `The submodules of ${repository.root} cannot be listed, so their filters cannot be disabled. Run "git ls-files" in that directory to see the error.`;
    throw new HalyardError("untrusted_directory", message, { cause });
  }
}

/** A repository's settings. */
export interface RepositorySettings {
  /** The configuration file. */
  readonly path: string;
  /** The repository's root. */
  readonly directory: string;
  /** The settings with lower-case names, without the settings that Git LFS writes. */
  readonly settings: readonly GitSetting[];
}

/** Matches the name of a setting that contains a filter's program. */
export const FILTER = /^filter\..*\.(?:clean|smudge|process)$/s;

/**
 * Returns the settings in a repository's configuration and in the files that it includes. Returns undefined if there is
 * no repository, or if its configuration does not match the pattern. Rejects with `untrusted_directory` if git cannot
 * read the configuration.
 */
export async function repositorySettings(
  cwd: string,
  env: Environment,
  pattern: RegExp,
): Promise<RepositorySettings | undefined> {
  const repository = await findRepository(cwd).catch(() => undefined);
  return repository && settingsOf(repository, env, pattern);
}

async function settingsOf(
  { root, gitDir, commonDir }: Repository,
  env: Environment,
  pattern: RegExp,
): Promise<RepositorySettings | undefined> {
  const path = join(commonDir, "config");
  const texts = await Promise.all([path, join(gitDir, "config.worktree")].map(textOf));
  if (!texts.some((text) => pattern.test(text))) return undefined; // git need not be started
  const settings = await read({ gitDir, workTree: root, env, home: homeIn(env) });
  return { path, directory: root, settings: settings.filter((one) => !isUsual(one)) };
}

async function read(options: GitOptions): Promise<readonly GitSetting[]> {
  try {
    return await listSettings(options);
  } catch (cause) {
    if (cause instanceof GitError && cause.reason === "missing") return []; // without git, nothing can run the filters
    const message = `The configuration of ${options.workTree} cannot be read, so its filters cannot be disabled. Run "git config --list" in that directory to see the error.`;
    throw new HalyardError("untrusted_directory", message, { cause });
  }
}

/** Matches a section that defines filters or includes other files. Section names are case-insensitive. */
const MAY_DEFINE_FILTERS = /\[\s*(?:filter|include)/i;

function isUsual([name, value]: readonly [string, string]): boolean {
  if (name === "filter.lfs.required") return true;
  const [, key = ""] = /^filter\.lfs\.(\w+)$/.exec(name) ?? [];
  return gitLfs[key]?.test(value) ?? false;
}

/** The values that `git lfs install --local` writes. */
const gitLfs: Readonly<Record<string, RegExp>> = {
  clean: /^git-lfs clean -- %f$/,
  smudge: /^git-lfs smudge (?:--skip )?-- %f$/,
  process: /^git-lfs filter-process(?: --skip)?$/,
};

async function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

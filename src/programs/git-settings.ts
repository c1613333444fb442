/** A git setting and its value. */
export type GitSetting = readonly [name: string, value: string];

/** The setting that stops git from running the file monitor that a repository names, for example during `git status`. */
export const fileMonitorOff = ["core.fsmonitor", "false"] as const;

/** The setting that stops git from running the signature program that a repository names, for example during `git log`. */
export const signaturesOff = ["log.showSignature", "false"] as const;

/**
 * The settings for a repository that is not trusted, because runtimes run `git status` and `git log` without asking for
 * permission. With the last setting, git rejects bare repositories inside another repository: a clone can contain them
 * together with their configuration.
 */
const untrustedRepository: readonly GitSetting[] = [
  fileMonitorOff,
  signaturesOff,
  ["safe.bareRepository", "explicit"],
];

/**
 * Returns environment variables that prevent git from running the programs that a repository configures. A command of the
 * agent can still run them explicitly. `filters` contains the settings that disable the repository's own filters. Keeps
 * the git settings that the environment already contains.
 */
export function untrustedGit(
  env: Readonly<Record<string, string>>,
  filters: readonly GitSetting[] = [],
): Record<string, string> {
  const next = Number(env.GIT_CONFIG_COUNT ?? 0);
  if (!Number.isInteger(next) || next < 0) return {}; // git rejects such a value and runs nothing
  const settings = [...untrustedRepository, ...filters];
  const variables = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${next + at}`, name],
    [`GIT_CONFIG_VALUE_${next + at}`, value],
  ]);
  return {
    GIT_OPTIONAL_LOCKS: "0", // otherwise `git status` refreshes the index and runs the hook post-index-change
    GIT_CONFIG_COUNT: String(next + settings.length),
    ...Object.fromEntries(variables),
  };
}

/**
 * Returns the variables by which git ignores `core.fsmonitor`: git runs the program that a repository names there, and
 * runtimes run `git status` unasked. Adds the setting to those that the environment has.
 */
export function noFileMonitor(env: Readonly<Record<string, string>>): Record<string, string> {
  const next = Number(env.GIT_CONFIG_COUNT ?? 0);
  if (!Number.isInteger(next) || next < 0) return {}; // git rejects it, and runs nothing
  return {
    GIT_CONFIG_COUNT: String(next + 1),
    [`GIT_CONFIG_KEY_${next}`]: "core.fsmonitor",
    [`GIT_CONFIG_VALUE_${next}`]: "false",
  };
}

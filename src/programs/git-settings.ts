/** The setting that stops git from running the file monitor that a repository names, for example during `git status`. */
export const fileMonitorOff = ["core.fsmonitor", "false"] as const;

/**
 * Returns environment variables that disable git's `core.fsmonitor`. Git runs the program that a repository sets there,
 * and runtimes run `git status` without permission. Settings that the environment already contains are kept.
 */
export function noFileMonitor(env: Readonly<Record<string, string>>): Record<string, string> {
  const next = Number(env.GIT_CONFIG_COUNT ?? 0);
  if (!Number.isInteger(next) || next < 0) return {}; // git rejects it and runs nothing
  const [key, value] = fileMonitorOff;
  return {
    GIT_CONFIG_COUNT: String(next + 1),
    [`GIT_CONFIG_KEY_${next}`]: key,
    [`GIT_CONFIG_VALUE_${next}`]: value,
  };
}

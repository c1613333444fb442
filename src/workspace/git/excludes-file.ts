import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { type Environment, homeIn } from "../../programs/environment.ts";
import { gitText } from "./git.ts";

/**
 * Returns the file that contains the user's ignore rules: `core.excludesFile` in the user's git configuration,
 * otherwise `git/ignore` in the configuration directory. Does not check whether the configured file
 * exists. Returns undefined if no file is configured and `git/ignore` does not exist. Git reads the configuration, but
 * runs no program that it names.
 */
export async function findExcludesFile(env: Environment): Promise<string | undefined> {
  const home = homeIn(env);
  const { XDG_CONFIG_HOME: given } = env;
  const config = given !== undefined && isAbsolute(given) ? given : join(home, ".config");
  for (const file of [join(home, ".gitconfig"), join(config, "git", "config")]) {
    if (!(await isFile(file))) continue;
    const named = await gitText(["config", "--file", file, "--get", "core.excludesFile"], {
      gitDir: home,
      env,
      isPrivate: true,
      exitCodes: [0, 1],
    }).catch(() => ""); // ignored, because git itself reports a damaged configuration to the user
    if (named.startsWith("~/")) return join(home, named.slice(2));
    if (isAbsolute(named)) return named;
  }
  const common = join(config, "git", "ignore");
  return (await isFile(common)) ? common : undefined;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

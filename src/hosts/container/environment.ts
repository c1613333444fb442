import type { Environment } from "../../programs/environment.ts";
import { PATH_ELSEWHERE } from "../../programs/program.ts";

/**
 * Returns the variables that are also valid in a container: language, time zone, terminal type, and variables whose names
 * end in `_API_KEY`, `_TOKEN` or `_BASE_URL`, unless the value is a path. Excludes all others, such as this machine's
 * directories, users and proxies. Replaces PATH with a placeholder for the image's PATH.
 */
export function containerEnvironment(env: Environment): Environment {
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && isTrueAnywhere(name, value),
  );
  return { ...Object.fromEntries(kept), PATH: PATH_ELSEWHERE };
}

function isTrueAnywhere(name: string, value: string): boolean {
  if (/^(LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|TZ)$/.test(name)) return true;
  return /(_API_KEY|_TOKEN|_BASE_URL)$/.test(name) && !value.startsWith("/");
}

import type { Environment } from "../../core/environment.ts";
import { PATH_ELSEWHERE } from "../../core/program.ts";

/**
 * What of our environment is true in a container as well: the language, the terminal, and the keys and endpoints of
 * model providers. Directories, users, programs and proxies are this machine's.
 */
export function environmentElsewhere(env: Environment): Environment {
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && isTrueAnywhere(name, value),
  );
  return { ...Object.fromEntries(kept), PATH: PATH_ELSEWHERE };
}

function isTrueAnywhere(name: string, value: string): boolean {
  if (/^(LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|TZ)$/.test(name)) return true;
  return /(_API_KEY|_TOKEN|_BASE_URL)$/.test(name) && !value.startsWith("/");
}

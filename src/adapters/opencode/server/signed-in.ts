import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, homeIn } from "../../../programs/environment.ts";
import { keysIn } from "../config/provider-keys.ts";

/** Returns true if the user has a provider key or a login. Otherwise returns undefined, because OpenCode has free models. */
export async function isSignedIn(env: Environment): Promise<boolean | undefined> {
  if (Object.keys(keysIn(env)).length > 0) return true;
  const data = env.XDG_DATA_HOME || join(homeIn(env), ".local", "share");
  try {
    const logins: unknown = JSON.parse(await readFile(join(data, "opencode", "auth.json"), "utf8"));
    return typeof logins === "object" && logins !== null && Object.keys(logins).length > 0
      ? true
      : undefined;
  } catch {
    return undefined;
  }
}

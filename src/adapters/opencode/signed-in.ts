import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, homeIn } from "../../core/environment.ts";
import { keysIn } from "./provider-keys.ts";

/** Whether the user has a key or a login for OpenCode; without one it still has models of its own that are free. */
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

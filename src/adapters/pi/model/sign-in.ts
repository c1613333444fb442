import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { userAgentDir } from "../agent-dir.ts";
import { keysIn } from "./provider-keys.ts";

/**
 * Returns true if the user has a key or a login for Pi. Returns undefined if the user has only custom providers, which
 * may need no key. Otherwise returns false.
 */
export async function isSignedIn(
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean | undefined> {
  if (Object.keys(keysIn(env)).length > 0) return true;
  const directory = userAgentDir(env);
  if (await hasEntries(join(directory, "auth.json"))) return true;
  return (await hasEntries(join(directory, "models.json"))) ? undefined : false;
}

async function hasEntries(file: string): Promise<boolean> {
  try {
    const entries = Entries.parse(JSON.parse(await readFile(file, "utf8")));
    return Object.keys(entries).length > 0;
  } catch {
    return false;
  }
}

const Entries = z.record(z.string(), z.unknown());

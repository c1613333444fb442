import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Environment, homeIn } from "../../../programs/environment.ts";

/**
 * Returns true if the user has a key, a login or a cloud provider for Claude Code, otherwise false. On macOS, returns
 * undefined instead of false, because the keychain may contain a login.
 */
export async function isSignedIn(env: Environment): Promise<boolean | undefined> {
  if (variables.some((name) => env[name] !== undefined && env[name] !== "")) return true;
  const { directory, global } = claudePaths(env);
  const [login, account, settings] = await Promise.all([
    read(join(directory, ".credentials.json")),
    read(global),
    read(join(directory, "settings.json")),
  ]);
  const isLoggedIn = Object.keys(login).length > 0 || account.oauthAccount !== undefined;
  if (isLoggedIn || settings.apiKeyHelper !== undefined || namesKey(settings.env)) return true;
  return process.platform === "darwin" ? undefined : false;
}

const variables = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
];

/** Returns the user's directory of Claude Code's transcripts. */
export function projectsIn(env: Environment): string {
  return join(claudePaths(env).directory, "projects");
}

/** Returns the user's Claude Code directory and the file that contains the account. */
function claudePaths(env: Environment): { directory: string; global: string } {
  const named = env.CLAUDE_CONFIG_DIR;
  if (named !== undefined && named !== "")
    return { directory: named, global: join(named, ".claude.json") };
  const home = homeIn(env);
  return { directory: join(home, ".claude"), global: join(home, ".claude.json") };
}

async function read(file: string): Promise<Record<string, unknown>> {
  try {
    return Entries.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return {};
  }
}

const Entries = z.record(z.string(), z.unknown());

function namesKey(env: unknown): boolean {
  const { data = {} } = Entries.safeParse(env);
  return variables.some((name) => data[name] !== undefined);
}

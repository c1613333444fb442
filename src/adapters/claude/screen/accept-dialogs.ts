import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomically } from "../../../files/write-file-atomically.ts";
import { ownKeys } from "./keys.ts";

/**
 * Accepts Claude's first-start dialogs and adds Halyard's key bindings in the session's own configuration directory.
 * Does nothing if `directory` is undefined, because Claude then uses the user's configuration.
 */
export async function acceptDialogs(
  directory: string | undefined,
  cwd: string,
  key: string,
): Promise<void> {
  if (directory === undefined) return;
  const file = join(directory, CONFIG_FILE);
  const known: unknown = JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const accepted = {
    ...(typeof known === "object" && known),
    hasCompletedOnboarding: true,
    bypassPermissionsModeAccepted: true,
    [KEY_APPROVALS]: { approved: [key.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true } },
  };
  await writeFileAtomically(file, JSON.stringify(accepted));
  await writeFileAtomically(join(directory, "keybindings.json"), JSON.stringify(ownKeys));
}

/** Removes the approved key's last characters from Claude's configuration file and from its backups. */
export async function removeKey(directory: string): Promise<void> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const config = names.filter((name) => name.split("/").at(-1)?.startsWith(CONFIG_FILE));
  for (const file of config.map((name) => join(directory, name))) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (!text.includes(KEY_APPROVALS)) continue;
    const { [KEY_APPROVALS]: _, ...others } = parseConfig(text);
    await writeFileAtomically(file, JSON.stringify(others));
  }
}

/** Parses a configuration file. Returns an empty object if the file is incomplete because Claude is writing it. */
function parseConfig(text: string): Record<string, unknown> {
  try {
    const config: unknown = JSON.parse(text);
    return { ...(typeof config === "object" && config) };
  } catch {
    return {};
  }
}

const CONFIG_FILE = ".claude.json";
const KEY_APPROVALS = "customApiKeyResponses";

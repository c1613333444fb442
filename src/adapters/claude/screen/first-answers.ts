import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "../../../core/write-whole.ts";
import { ownKeys } from "./keys.ts";

/** Answers what Claude asks a new user, in a configuration that is the session's own; the user's is left alone. */
export async function acceptDialogs(
  directory: string | undefined,
  cwd: string,
  key: string,
): Promise<void> {
  if (directory === undefined) return;
  const file = join(directory, NOTES);
  const known: unknown = JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const accepted = {
    ...(typeof known === "object" && known),
    hasCompletedOnboarding: true,
    bypassPermissionsModeAccepted: true,
    [KEY_ANSWERS]: { approved: [key.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true } },
  };
  await writeWhole(file, JSON.stringify(accepted));
  await writeWhole(join(directory, "keybindings.json"), JSON.stringify(ownKeys));
}

/** Removes the end of the key, which Claude keeps to know that it was approved, also from Claude's own copies. */
export async function forgetKey(directory: string): Promise<void> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const notes = names.filter((name) => name.split("/").at(-1)?.startsWith(NOTES));
  for (const file of notes.map((name) => join(directory, name))) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (!text.includes(KEY_ANSWERS)) continue;
    const { [KEY_ANSWERS]: _, ...others } = parseNotes(text);
    await writeWhole(file, JSON.stringify(others));
  }
}

/** Claude may be writing them. */
function parseNotes(text: string): Record<string, unknown> {
  try {
    const notes: unknown = JSON.parse(text);
    return { ...(typeof notes === "object" && notes) };
  } catch {
    return {};
  }
}

const NOTES = ".claude.json";
const KEY_ANSWERS = "customApiKeyResponses";

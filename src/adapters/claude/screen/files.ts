import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeWhole } from "../../../core/write-whole.ts";

/** What Claude on a screen needs in the session's run directory, beside what Claude always needs. */
export interface ScreenFiles {
  /** Where each hook leaves what it was told, a file for each. */
  readonly hooks: string;
  readonly script: string;
  /** Where to find the session, for whoever takes it up after us. */
  readonly whereabouts: string;
  /** The fingerprint of the message that was sent last: what else Claude works on is somebody else's. */
  readonly sent: string;
}

export function screenFilesIn(runDir: string): ScreenFiles {
  return {
    hooks: join(runDir, "hooks"),
    script: join(runDir, "claude-hook.sh"),
    whereabouts: join(runDir, "claude-screen.json"),
    sent: join(runDir, "claude-sent"),
  };
}

const Whereabouts = z.strictObject({
  sessionId: z.string(),
  transcript: z.string(),
  /** Whether Claude's settings are the session's own, with keys of ours among them. */
  hasOwnKeys: z.boolean(),
});
export type Whereabouts = z.infer<typeof Whereabouts>;

export async function writeScreenFiles(files: ScreenFiles, where: Whereabouts): Promise<void> {
  await mkdir(files.hooks, { recursive: true, mode: 0o700 });
  await writeFile(files.script, SCRIPT, { mode: 0o700 });
  await writeWhole(files.whereabouts, JSON.stringify(where));
}

/** Undefined where no session was begun. */
export async function readWhereabouts(files: ScreenFiles): Promise<Whereabouts | undefined> {
  try {
    return Whereabouts.parse(JSON.parse(await readFile(files.whereabouts, "utf8")));
  } catch {
    return undefined;
  }
}

/**
 * Keeps what Claude tells the hook. Where it asks for a permission it waits at a pipe for the answer, which is then
 * Claude's to take: nothing has to be typed into a dialog.
 */
const SCRIPT = `#!/bin/sh
file=$(mktemp "$1/XXXXXXXXXXXX") || exit 0
cat > "$file"
if [ "$2" != wait ]; then
  mv "$file" "$file.json"
  exit 0
fi
mkfifo -m 600 "$file.answer" || exit 0
exec 3<> "$file.answer"
mv "$file" "$file.json"
IFS= read -r answer <&3
printf '%s\\n' "$answer"
rm -f "$file.answer" "$file.json" "$file.told"
`;

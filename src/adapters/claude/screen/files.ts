import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../../files/write-file-atomically.ts";

/** A screen session's additional files in its run directory. */
export interface ScreenFiles {
  /** The directory that contains one file per hook message. */
  readonly hooks: string;
  readonly script: string;
  /** The file that contains the data for a later attach. */
  readonly session: string;
  /** The file with the fingerprints of the messages that Halyard sent. A user typed all other messages. */
  readonly sent: string;
}

/** Returns the paths of the files in a run directory. */
export function screenFilesIn(runDir: string): ScreenFiles {
  return {
    hooks: join(runDir, "hooks"),
    script: join(runDir, "claude-hook.sh"),
    session: join(runDir, "claude-screen.json"),
    sent: join(runDir, "claude-sent"),
  };
}

const ScreenSession = z.strictObject({
  sessionId: z.string(),
  transcript: z.string(),
  /** True if the session has its own configuration directory, with Halyard's key bindings and the approved key. */
  hasOwnConfig: z.boolean(),
});
/** The data that an attach to a screen session needs. */
export type ScreenSession = z.infer<typeof ScreenSession>;

/** Creates a new session's files. */
export async function writeScreenFiles(files: ScreenFiles, session: ScreenSession): Promise<void> {
  await mkdir(files.hooks, { recursive: true, mode: 0o700 });
  await writeFile(files.script, SCRIPT, { mode: 0o700 });
  await writeFileAtomically(files.session, JSON.stringify(session));
}

/** Reads a running session's data. Returns undefined if the file is missing or invalid. */
export async function readScreenSession(files: ScreenFiles): Promise<ScreenSession | undefined> {
  try {
    return ScreenSession.parse(JSON.parse(await readFile(files.session, "utf8")));
  } catch {
    return undefined;
  }
}

/**
 * The hook script. The script writes Claude's message to a file. For a permission request, the script then waits for the
 * answer on a named pipe and prints the answer for Claude. Therefore, Halyard does not type into the dialog.
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
rm -f "$file.answer" "$file.json" "$file.reported"
`;

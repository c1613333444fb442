import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "../../../files/write-file-atomically.ts";

/** A session's server and id, for a later attach. */
const SessionLocation = z.strictObject({
  /** The server's run directory. */
  server: z.string(),
  /** OpenCode's session id, if the session exists. */
  session: z.string().optional(),
});
export type SessionLocation = z.infer<typeof SessionLocation>;

/** Atomically writes the location of the session's server to the run directory. */
export async function writeSessionLocation(
  runDir: string,
  location: SessionLocation,
): Promise<void> {
  await writeFileAtomically(fileIn(runDir), JSON.stringify(location));
}

/** Reads the location. Resolves with undefined if the file is missing or invalid, such as before the session has a server. */
export async function readSessionLocation(runDir: string): Promise<SessionLocation | undefined> {
  try {
    return SessionLocation.parse(JSON.parse(await readFile(fileIn(runDir), "utf8")));
  } catch {
    return undefined;
  }
}

function fileIn(runDir: string): string {
  return join(runDir, "opencode.json");
}

import { lstat, open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { HalyardError } from "../../errors/error.ts";
import { fileReason } from "../../errors/file-reason.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Transcript } from "./session-files/transcript.ts";

/**
 * Creates the file's directory, and rejects with `invalid_input` if the file is not writable. Called before the turn, so
 * that no turn runs if its transcript cannot be written.
 */
export async function requireWritable(file: string): Promise<void> {
  try {
    await makeDirectory(dirname(file));
    const found = await stat(file).catch(() => undefined); // the file may not exist yet
    if (found?.isDirectory()) throw new Error("it is a directory");
    if (found && !found.isFile()) throw new Error("it is not a regular file");
    const isNew = await lstat(file).then(
      () => false,
      () => true,
    );
    await (await open(file, "a")).close(); // only an attempt shows whether the file is writable
    if (isNew) await rm(file);
  } catch (cause) {
    const message = `Cannot write the conversation to the sessionFile ${file}: ${fileReason(cause)}. Set sessionFile to another path.`;
    throw new HalyardError("invalid_input", message, { cause });
  }
}

/** Writes the transcript. Never rejects, because the turn itself is complete: returns a problem as a warning. */
export async function keepTranscript(
  transcript: Transcript,
  file: string,
  session: SessionInfo,
): Promise<string[]> {
  try {
    await transcript.write(file, session);
    return [];
  } catch (error) {
    return [`The transcript could not be written to ${file}: ${fileReason(error)}`];
  }
}

import { access, constants, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { HalyardError, reasonOf } from "../../core/error.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Transcript } from "../../session-files/transcript.ts";

/** Rejects where nothing can be kept in that file: before the turn, for behind it that is too late. */
export async function requireWritable(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    const found = await stat(file).catch(() => undefined); // there may be none yet
    if (found?.isDirectory()) throw new Error("it is a directory");
    await access(found ? file : dirname(file), constants.W_OK);
  } catch (cause) {
    const message = `sessionFile: ${file} cannot be written: ${reasonOf(cause)}. Name a file that can be, for the conversation is kept in it`;
    throw new HalyardError("invalid_input", message, { cause });
  }
}

/** Keeps what was said. A turn is as it was even where that fails: what went wrong is answered, in words. */
export async function keepTranscript(
  transcript: Transcript,
  file: string,
  session: SessionInfo,
): Promise<string[]> {
  try {
    await transcript.write(file, session);
    return [];
  } catch (error) {
    return [`the transcript could not be written to ${file}: ${reasonOf(error)}`];
  }
}

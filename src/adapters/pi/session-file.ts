import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { HalyardError } from "../../core/error.ts";

/** Where Pi's records of a session are kept. */
export const sessionsDir = (stateDir: string): string => join(stateDir, "pi");

/**
 * The record of a session that is to be resumed. Pi itself would start afresh without a word where there is none,
 * or where it cannot be read.
 */
export async function findSessionFile(stateDir: string, sessionId: string): Promise<string> {
  const directory = sessionsDir(stateDir);
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((name) => name.endsWith(`_${sessionId}.jsonl`))) {
    const file = join(directory, name);
    if ((await readSessionId(file)) === sessionId) return file;
  }
  const message = `Pi has no record of a session ${sessionId} in ${directory}`;
  throw new HalyardError("runtime_session_not_found", message);
}

/** The id in the first line of the file, which is never long. */
async function readSessionId(file: string): Promise<string | undefined> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024), 0);
  const [line = ""] = buffer.toString("utf8", 0, bytesRead).split("\n");
  try {
    const header: unknown = JSON.parse(line);
    if (typeof header !== "object" || header === null) return undefined;
    if (!("type" in header) || header.type !== "session" || !("id" in header)) return undefined;
    return typeof header.id === "string" ? header.id : undefined;
  } catch {
    return undefined;
  }
}

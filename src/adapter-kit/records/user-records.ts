import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { NativeSessionsRequest } from "../../contracts/native-sessions.ts";
import { HalyardError } from "../../errors/error.ts";
import { listInWords } from "../../errors/list-in-words.ts";
import { readAgentFile } from "../../permissions/agent-writable.ts";
import { WHOLE_RECORD } from "../../permissions/copy-agent-files.ts";
import type { NativeSession } from "../../schema/runtimes/native-session.ts";

/** A directory with records. */
interface RecordsDirectory {
  /** The directory that contains the files. It may be a link, because users move such directories. */
  readonly root: string;
  /** The number of directories between `root` and a file. */
  readonly depth: number;
}

/** The records of a runtime in the user's own directory: one JSON Lines file per session. */
export interface UserRecords extends RecordsDirectory {
  /** The directory to which the runtime moves the files of archived sessions. */
  readonly archive?: RecordsDirectory;
  /** Returns the session id in the name of a file, or undefined if the file is not a record. */
  idOf(fileName: string): string | undefined;
  /** Returns false if a directory, given relative to `root`, cannot contain sessions of `cwd`. Defaults to true. */
  mayContain?(directory: string, cwd: string): boolean;
  /** Returns the title and the working directory of a record, or undefined if the record is not a session of the user. */
  describe(entries: readonly unknown[]): Pick<NativeSession, "title" | "cwd"> | undefined;
}

/** A file that contains the record of a session. */
export interface UserRecord {
  readonly id: string;
  /** The directory of the records, without links. */
  readonly root: string;
  /** The path relative to `root`. */
  readonly path: string;
  readonly changedAt: Date;
}

/** Lists the sessions that a runtime recorded in files, newest first. Reads only the beginning and the end of a file. */
export async function listUserRecords(
  records: UserRecords,
  { cwd, id: prefix = "", limit, except }: NativeSessionsRequest,
): Promise<NativeSession[]> {
  const wanted = cwd === undefined ? undefined : await spellings(cwd);
  const isWanted = (id: string) => id.startsWith(prefix) && !except.has(id);
  const found = (await findUserRecords(records, isWanted, wanted)).sort(
    (one, other) => other.changedAt.getTime() - one.changedAt.getTime(),
  );
  const sessions: NativeSession[] = [];
  for (const { id, root, path, changedAt } of found) {
    if (sessions.length >= limit) break;
    const described = records.describe(await readEntries(join(root, path)));
    if (described === undefined) continue;
    if (wanted && (described.cwd === undefined || !wanted.includes(described.cwd))) continue;
    sessions.push({ id, ...described, updatedAt: changedAt.toISOString() });
  }
  return sessions;
}

/** Finds the record of one session. Rejects with `runtime_session_not_found` if there is none. */
export async function requireUserRecord(
  records: UserRecords,
  id: string,
  displayName: string,
): Promise<UserRecord> {
  const [record] = await findUserRecords(records, (one) => one === id);
  if (record) return record;
  const roots = directoriesOf(records).map(({ root }) => root);
  throw new HalyardError(
    "runtime_session_not_found",
    `${displayName} has no session "${id}" in ${listInWords(roots, "or")}. Run "halyard runtime sessions RUNTIME --all" to list the recorded sessions, or start a new session.`,
  );
}

/**
 * Returns the content of a record. Throws `runtime_session_not_found` if the file is not a regular file, has several hard
 * links, or has just been deleted. Throws `limit_exceeded` if the file is larger than 256 MiB.
 */
export function readUserRecord({ root, path, id }: UserRecord): string {
  const text = readAgentFile(root, path, WHOLE_RECORD);
  if (text !== undefined) return text;
  throw new HalyardError(
    "runtime_session_not_found",
    `The record of session ${id} cannot be read: ${join(root, path)} is not a regular file, has several hard links, or was deleted. Start a new session.`,
  );
}

/** Returns two forms of a path, because runtimes record either form: as the user wrote it, and without links. */
async function spellings(path: string): Promise<readonly string[]> {
  return [path, await realpath(path).catch(() => path)];
}

/** The maximum number of records that a search finds in one directory. */
const MAX_FILES = 20_000;

/** Finds records by the names of their files, without following links. Skips an archived copy of a record. */
async function findUserRecords(
  records: UserRecords,
  isWanted: (id: string) => boolean,
  directories?: readonly string[],
): Promise<UserRecord[]> {
  const found: UserRecord[] = [];
  for (const { root, depth } of directoriesOf(records)) {
    const known = new Set(found.map(({ id }) => id));
    const isNew = (id: string) => isWanted(id) && !known.has(id);
    const real = await realpath(root).catch(() => root);
    found.push(...(await findIn({ root: real, depth }, records, isNew, directories)));
  }
  return found;
}

function directoriesOf({ root, depth, archive }: UserRecords): RecordsDirectory[] {
  return [{ root, depth }, ...(archive ? [archive] : [])];
}

async function findIn(
  { root, depth }: RecordsDirectory,
  { idOf, mayContain = () => true }: UserRecords,
  isWanted: (id: string) => boolean,
  directories?: readonly string[],
): Promise<UserRecord[]> {
  const found: UserRecord[] = [];
  const visit = async (path: string, remaining: number): Promise<void> => {
    for (const entry of await entriesOf(join(root, path))) {
      if (found.length >= MAX_FILES) return;
      const inner = join(path, entry.name);
      if (remaining > 0) {
        const isPossible = directories?.some((cwd) => mayContain(inner, cwd)) ?? true;
        if (entry.isDirectory() && isPossible) await visit(inner, remaining - 1);
        continue;
      }
      const id = entry.isFile() ? idOf(entry.name) : undefined;
      if (id === undefined || !isWanted(id)) continue;
      const changedAt = await lstat(join(root, inner)).then(
        ({ mtime }) => mtime,
        () => undefined, // the runtime has just deleted the file
      );
      if (changedAt) found.push({ id, root, path: inner, changedAt });
    }
  };
  await visit("", depth);
  return found;
}

/** Returns the entries of a directory. Returns none if the directory does not exist or cannot be read. */
async function entriesOf(directory: string): Promise<Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch(() => []);
}

/** The number of bytes that are read at the beginning and at the end of a file. */
const HEAD_BYTES = 256 * 1024;
const TAIL_BYTES = 64 * 1024;

/** The flags that open a record. Opening a pipe does not block, and opening a link fails. */
const READ_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Parses the lines at the beginning and at the end of a record. Skips lines that are not JSON. */
async function readEntries(file: string): Promise<unknown[]> {
  await using handle = await open(file, READ_FILE).catch(() => null);
  const found = await handle?.stat();
  if (!handle || !found?.isFile()) return [];
  const read = async (position: number, length: number): Promise<string> => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.toString("utf8", 0, bytesRead);
  };
  const head = await read(0, Math.min(found.size, HEAD_BYTES));
  const rest = Math.max(0, found.size - HEAD_BYTES);
  const tail = rest > 0 ? await read(found.size - Math.min(rest, TAIL_BYTES), TAIL_BYTES) : "";
  return [...head.split("\n"), ...tail.split("\n")].flatMap(parseLine);
}

/** Parses a line. Returns no value if the line is not JSON. */
function parseLine(line: string): unknown[] {
  if (line.trim() === "") return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return []; // the line was cut off, or the file is damaged
  }
}

/** The maximum length of a title, in characters. */
const MAX_TITLE = 120;

/** Returns the first non-blank line of a text, shortened to 120 characters, or undefined if the text is blank. */
export function toTitle(text: string | undefined): string | undefined {
  const line = text?.split("\n").find((one) => one.trim() !== "");
  const characters = [...(line ?? "").trim()];
  if (characters.length === 0) return undefined;
  return characters.length <= MAX_TITLE
    ? characters.join("")
    : `${characters.slice(0, MAX_TITLE - 1).join("")}…`;
}

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { HalyardError } from "../errors/error.ts";
import { hasCode } from "../errors/has-code.ts";
import { hasProc } from "../programs/platform.ts";

/**
 * Functions for files in a directory that an agent can write to, such as the state directory of a session in a
 * container. At any time, the agent may replace any part of a path in the directory with a link, a pipe or a huge file.
 * The functions take the directory as `root` and a relative `path`. They trust only the parent of `root`: they open one
 * component after the other without following links, and work relative to the opened directory.
 */

/** Creates a directory and its parents. Replaces a link or a file with the same name. */
export function makeAgentDirectory(root: string, path = ""): void {
  withDirectory(root, path, { create: true }, () => {});
}

/** Writes a file for the agent and creates its directory. Replaces a file or link atomically, and a directory in two steps. */
export function writeAgentFile(root: string, path: string, text: string): void {
  withDirectory(root, dirname(path), { create: true }, (directory) => {
    const fresh = `.${randomBytes(8).toString("hex")}`;
    const fd = openSync(at(directory, fresh), NEW_FILE, 0o600);
    try {
      writeFileSync(fd, text);
      assignOwner(fd, directory);
    } finally {
      closeSync(fd);
    }
    replace(directory, fresh, toBytes(basename(path)));
  });
}

/** Creates a symbolic link. Replaces an existing entry. */
export function linkAgentFile(root: string, path: string, target: string): void {
  withDirectory(root, dirname(path), { create: true }, (directory) => {
    const fresh = `.${randomBytes(8).toString("hex")}`;
    symlinkSync(target, at(directory, fresh));
    replace(directory, fresh, toBytes(basename(path)));
  });
}

/**
 * Returns the text of a regular file, at most the first `maxBytes`, which default to 16 MiB. Returns undefined if the
 * file does not exist, is not a regular file, has several hard links, or if the path contains a link. If `isWhole` is
 * true, throws `limit_exceeded` instead of returning only the start of a larger file.
 */
export function readAgentFile(
  root: string,
  path: string,
  { maxBytes = MAX_BYTES, isWhole = false }: { maxBytes?: number; isWhole?: boolean } = {},
): string | undefined {
  return unlessAbsent(() =>
    withDirectory(root, dirname(path), {}, (directory) => {
      const fd = openSync(at(directory, toBytes(basename(path))), READ_FILE);
      try {
        const found = fstatSync(fd);
        if (!found.isFile() || found.nlink !== 1) return undefined;
        if (isWhole && found.size > maxBytes)
          throw new HalyardError(
            "limit_exceeded",
            `The conversation cannot be copied, because ${join(root, path)} is larger than ${maxBytes / 2 ** 20} MiB. Start a new session.`,
          );
        const buffer = Buffer.alloc(Math.min(found.size, maxBytes));
        return buffer.toString("utf8", 0, readSync(fd, buffer, 0, buffer.length, 0));
      } finally {
        closeSync(fd);
      }
    }),
  );
}

/**
 * Lists the entries of a directory. Returns an empty list if the path does not exist, is not a directory or contains a
 * link.
 */
export function listAgentFiles(
  root: string,
  path: string,
): { name: string; isDirectory: boolean }[] {
  const found = unlessAbsent(() => withDirectory(root, path, {}, entriesIn)) ?? [];
  return found.map((entry) => ({ ...entry, name: fromBytes(entry.name) }));
}

/** Removes a file, a link, or a directory with all its content, without following links. A missing entry is ignored. */
export function removeAgentFiles(root: string, path = ""): void {
  unlessAbsent(() =>
    path === ""
      ? withOpened(openTrusted(dirname(root)), (top) => remove(top, toBytes(basename(root))))
      : withDirectory(root, dirname(path), {}, (directory) =>
          remove(directory, toBytes(basename(path))),
        ),
  );
}

const MAX_BYTES = 16 * 1024 * 1024;

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
/** Flags for reading a file. Non-blocking, so that opening a pipe does not wait. */
const READ_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/**
 * An open directory. Directories below the trusted parent are opened without following links. The descriptor stays valid
 * if the directory is renamed.
 */
interface Directory {
  readonly fd: number;
  readonly path: string;
}

/**
 * Returns the path of an entry of an opened directory. Names are byte strings (latin1), because an agent may use
 * arbitrary bytes. On systems other than Linux, no container shares directories with Halyard, so a plain path is
 * sufficient.
 */
function at({ fd, path }: Directory, name: string): Buffer {
  const parent = hasProc ? `/proc/self/fd/${fd}` : path;
  return Buffer.from(`${parent}/${name}`, "latin1");
}

const toBytes = (name: string): string => Buffer.from(name).toString("latin1");
const fromBytes = (name: string): string => Buffer.from(name, "latin1").toString();

function openTrusted(path: string): Directory {
  return { fd: openSync(path, O_RDONLY | O_DIRECTORY), path: toBytes(path) };
}

function withOpened<T>(directory: Directory, action: (directory: Directory) => T): T {
  try {
    return action(directory);
  } finally {
    closeSync(directory.fd);
  }
}

function withDirectory<T>(
  root: string,
  path: string,
  { create = false }: { create?: boolean },
  action: (directory: Directory) => T,
): T {
  const names = [basename(root), ...path.split("/").filter((name) => name !== "" && name !== ".")];
  if (names.includes("..")) throw new Error(`${path} is outside ${root}`);
  if (create) mkdirSync(dirname(root), { recursive: true, mode: 0o700 });
  const descend = (directory: Directory, [name, ...rest]: readonly string[]): T =>
    name === undefined
      ? action(directory)
      : withOpened(openEntry(directory, toBytes(name), create), (next) => descend(next, rest));
  return withOpened(openTrusted(dirname(root)), (top) => descend(top, names));
}

function openEntry(directory: Directory, name: string, create: boolean): Directory {
  const path = `${directory.path}/${name}`;
  try {
    return { fd: openSync(at(directory, name), DIRECTORY), path };
  } catch (error) {
    if (!create) throw error;
    if (!hasCode(error, "ENOENT")) remove(directory, name); // the entry is a link or a file
  }
  mkdirSync(at(directory, name), { mode: 0o700 });
  const fd = openSync(at(directory, name), DIRECTORY);
  assignOwner(fd, directory);
  return { fd, path };
}

/**
 * Changes the owner of a new entry to the owner of its directory, because Halyard may run as root while the agent does
 * not.
 */
function assignOwner(fd: number, directory: Directory): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = fstatSync(directory.fd);
  if (uid !== 0) fchownSync(fd, uid, gid);
}

function replace(directory: Directory, fresh: string, name: string): void {
  try {
    renameSync(at(directory, fresh), at(directory, name));
  } catch {
    remove(directory, name); // the entry is a directory
    renameSync(at(directory, fresh), at(directory, name));
  }
}

function entriesIn(directory: Directory): { name: string; isDirectory: boolean }[] {
  const entries = readdirSync(at(directory, "."), { withFileTypes: true, encoding: "latin1" });
  return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
}

/**
 * Removes an entry. Nested directories are moved up first, so that deep nesting cannot exhaust the stack or the file
 * descriptors.
 */
function remove(parent: Directory, name: string): void {
  if (!isDirectory(parent, name)) {
    unlinkSync(at(parent, name));
    return;
  }
  withOpened(openEntry(parent, name, false), (top) => {
    const waiting = [...empty(top, top)];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      waiting.push(
        ...withOpened(openEntry(top, next, false), (directory) => empty(directory, top)),
      );
      rmdirSync(at(top, next));
    }
  });
  rmdirSync(at(parent, name));
}

/** Removes the files of a directory and moves its directories to `top`. Returns the names of the moved directories. */
function empty(directory: Directory, top: Directory): string[] {
  return entriesIn(directory).flatMap((entry) => {
    if (!entry.isDirectory) {
      unlinkSync(at(directory, entry.name));
      return [];
    }
    if (directory === top) return [entry.name];
    const moved = randomBytes(8).toString("hex");
    renameSync(at(directory, entry.name), at(top, moved));
    return [moved];
  });
}

function isDirectory(parent: Directory, name: string): boolean {
  try {
    closeSync(openSync(at(parent, name), DIRECTORY));
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw error;
    return false;
  }
}

function unlessAbsent<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EISDIR"].some((code) => hasCode(error, code)))
      return undefined;
    throw error;
  }
}

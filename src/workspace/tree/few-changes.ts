import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
} from "node:fs";
import { type BytePath, locate } from "../byte-path.ts";
import type { CheckpointRepository } from "../checkpoint-repository.ts";
import type { Scan } from "../scan.ts";
import {
  type Directories,
  parentsOf,
  readDirectories,
  type TreeChange,
  type TreeEntry,
  writeChangedTree,
} from "./changed-tree.ts";
import type { ObjectWriter } from "./objects.ts";

/**
 * Applies few and small changes to the index's tree, writes the resulting tree, and returns its hash. Does not change
 * the index, so the next scan finds the same changes again. This is faster than `git update-index`, which writes the
 * whole index. Returns undefined on Windows, if the index's tree is unknown, if the changes are too many or too large,
 * or if only git can record one of them.
 */
export async function writeFewChanges(
  repository: CheckpointRepository,
  { update, forget, areKeptListed }: Scan,
  objects: ObjectWriter,
): Promise<string | undefined> {
  const { known, root } = repository;
  const paths = [...update, ...forget];
  const isSuitable = areKeptListed && paths.length <= MAX_PATHS && paths.every(isPlainName);
  if (known.indexTree === undefined || !isSuitable || process.platform === "win32")
    return undefined;
  const directories = await directoriesOf(known.indexTree, paths, repository);
  const found = directories && readFiles(root, update);
  if (!directories || !found) return undefined;
  const changes = found.map(({ path, mode, content }): TreeChange => {
    const entry = content && { mode, hash: objects.write("blob", content) };
    return [path, entry];
  });
  const deleted = forget.map((path): TreeChange => [path, undefined]);
  return writeChangedTree(directories, [...changes, ...deleted], objects);
}

/** Returns the changes' directories. Most of them were already read for the previous checkpoint. */
async function directoriesOf(
  tree: string,
  paths: readonly BytePath[],
  { known, git }: CheckpointRepository,
): Promise<Directories | undefined> {
  const read = known.directories?.tree === tree ? known.directories.entries : undefined;
  if (read && parentsOf(paths).every((name) => read.has(name))) return read;
  const entries = await readDirectories(tree, paths, git);
  known.directories = entries && { tree, entries };
  return entries;
}

const MAX_PATHS = 32;
const MAX_BYTES = 1024 * 1024;

/** False if git may reject a name in the path, which depends on git's settings and on the file system. */
function isPlainName(path: BytePath): boolean {
  const isSpecial = (name: string) =>
    /^\.git|^git~|\\/i.test(name) || (/[\x80-\xff]/.test(name) && /g.*i.*t/is.test(name));
  return !path.split("/").some(isSpecial);
}

interface FoundFile extends Pick<TreeEntry, "mode"> {
  readonly path: BytePath;
  /** The content. Absent if the file does not exist. */
  readonly content?: Buffer;
}

/**
 * Reads the files. Returns undefined if one of them cannot be read, or if they are too large together. Synchronous,
 * because asynchronous calls would take longer for small files.
 */
function readFiles(root: string, paths: readonly BytePath[]): FoundFile[] | undefined {
  const files: FoundFile[] = [];
  let room = MAX_BYTES;
  for (const path of paths) {
    const file = readFileAt(locate(root, path), room);
    if (file === undefined) return undefined;
    files.push({ path, ...file });
    room -= file.content?.length ?? 0;
  }
  return files;
}

/**
 * Reads a file or link. The result has no content if nothing exists at the path. Returns undefined for anything else, for
 * a file over the limit, and for a file that cannot be read.
 */
function readFileAt(file: Buffer, maxBytes: number): Omit<FoundFile, "path"> | undefined {
  try {
    const found = lstatSync(file);
    if (found.isSymbolicLink()) return { mode: "120000", content: readlinkSync(file, "buffer") };
    return found.isFile() ? readRegular(file, maxBytes) : undefined;
  } catch (error) {
    const isMissing =
      error instanceof Error && "code" in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code));
    return isMissing ? { mode: "0" } : undefined; // git reports all other errors
  }
}

function readRegular(file: Buffer, maxBytes: number): Omit<FoundFile, "path"> | undefined {
  const handle = openSync(file, READ_ONLY);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    const content = readFileSync(handle);
    if (content.length > maxBytes) return undefined;
    return { mode: stats.mode & constants.S_IXUSR ? "100755" : "100644", content };
  } finally {
    closeSync(handle);
  }
}

/**
 * Flags for reading: do not follow links and do not block, because the file may have been replaced with a link or a
 * pipe.
 */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

import type { BytePath } from "../byte-path.ts";
import { type GitOptions, runGit } from "../git/git.ts";
import type { ObjectWriter } from "./objects.ts";

/** The directories in a commit that contain the given paths, by path. The root is `""`. */
export type Directories = ReadonlyMap<BytePath, ReadonlyMap<BytePath, TreeEntry>>;

/** A file, link or directory in a tree. */
export interface TreeEntry {
  readonly mode: string;
  readonly hash: string;
}

/** A path with its new entry, or with undefined if it was deleted. */
export type TreeChange = readonly [path: BytePath, entry: TreeEntry | undefined];

const DIRECTORY = "40000";

/**
 * Reads the directories in a commit or tree that contain the paths. Returns undefined if there are too many of them, if
 * a name contains a line break, or if the object of a directory is missing.
 */
export async function readDirectories(
  root: string,
  paths: readonly BytePath[],
  git: GitOptions,
): Promise<Directories | undefined> {
  const names = parentsOf(paths);
  if (names.length > MAX_DIRECTORIES || names.some((name) => name.includes("\n"))) return undefined;
  const lines = names.map((name) => (name === "" ? `${root}^{tree}\n` : `${root}:${name}\n`));
  const input = Buffer.from(lines.join(""), "latin1");
  const output = (await runGit(["cat-file", "--batch"], { ...git, input })).stdout;
  const found = new Map<BytePath, ReadonlyMap<BytePath, TreeEntry>>();
  let at = 0;
  for (const name of names) {
    const end = output.indexOf("\n", at);
    const [hash = "", type, size] = output.toString("latin1", at, end).split(" ");
    // if the object does not exist, the line ends with `missing`
    const isFound = /^[0-9a-f]+$/.test(hash) && size !== undefined;
    const bytes = isFound ? Number(size) : -1;
    const content = output.subarray(end + 1, end + 1 + bytes);
    if (type === "tree") found.set(name, readTree(content, hash.length / 2));
    at = end + 1 + bytes + 1;
  }
  const isLost = (name: BytePath) =>
    name === "" || found.get(parentOf(name))?.get(nameOf(name))?.mode === DIRECTORY;
  for (const name of names)
    if (!found.has(name)) {
      if (isLost(name)) return undefined;
      found.set(name, new Map()); // the directory did not exist
    }
  return found;
}

/** The maximum number of directories. Above it, `git write-tree` is faster. */
const MAX_DIRECTORIES = 50;

/** Returns all directories above the paths. The root is `""`. */
export function parentsOf(paths: readonly BytePath[]): BytePath[] {
  const above = (path: BytePath): BytePath[] => {
    const parent = parentOf(path);
    return parent === "" ? [""] : [parent, ...above(parent)];
  };
  return [...new Set(paths.flatMap(above))];
}

const parentOf = (path: BytePath): BytePath => path.slice(0, Math.max(0, path.lastIndexOf("/")));

function readTree(content: Buffer, hashBytes: number): Map<BytePath, TreeEntry> {
  const entries = new Map<BytePath, TreeEntry>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(" ", at);
    const nul = content.indexOf(0, space);
    const mode = content.toString("latin1", at, space);
    const hash = content.toString("hex", nul + 1, nul + 1 + hashBytes);
    entries.set(content.toString("latin1", space + 1, nul), { mode, hash });
    at = nul + 1 + hashBytes;
  }
  return entries;
}

/**
 * Applies changes to a commit's tree, writes the new tree objects, and returns the root tree's hash. Returns undefined
 * if a change's directory was not read. Replaces `git write-tree`, which reads and writes the whole index.
 */
export function writeChangedTree(
  directories: Directories,
  changes: readonly TreeChange[],
  objects: ObjectWriter,
): string | undefined {
  const changed = new Map([...directories].map(([name, entries]) => [name, new Map(entries)]));
  const entriesOf = (path: BytePath) => changed.get(parentOf(path));
  if (changes.some(([path]) => !entriesOf(path))) return undefined;
  for (const [path, entry] of changes) if (!entry) entriesOf(path)?.delete(nameOf(path));
  for (const [path, entry] of changes) if (entry) entriesOf(path)?.set(nameOf(path), entry);
  const deepestFirst = [...changed.keys()].sort((a, b) => depthOf(b) - depthOf(a));
  for (const name of deepestFirst) {
    const parent = entriesOf(name);
    const entries = changed.get(name) ?? new Map();
    if (name === "") return writeTree(entries, objects);
    if (entries.size > 0)
      parent?.set(nameOf(name), { mode: DIRECTORY, hash: writeTree(entries, objects) });
    else if (parent?.get(nameOf(name))?.mode === DIRECTORY) parent.delete(nameOf(name));
  }
  return undefined;
}

const nameOf = (path: BytePath): BytePath => path.slice(path.lastIndexOf("/") + 1);

const depthOf = (name: BytePath): number => (name === "" ? 0 : name.split("/").length);

function writeTree(entries: ReadonlyMap<BytePath, TreeEntry>, objects: ObjectWriter) {
  const sorted = [...entries].sort(([a, one], [b, other]) =>
    sortName(a, one) < sortName(b, other) ? -1 : 1,
  );
  const parts = sorted.map(([name, { mode, hash }]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`, "latin1"), Buffer.from(hash, "hex")]),
  );
  return objects.write("tree", Buffer.concat(parts));
}

/** Returns an entry's sort key. Git sorts directories as if their names ended with a slash. */
const sortName = (name: BytePath, { mode }: TreeEntry): string =>
  mode === DIRECTORY ? `${name}/` : name;

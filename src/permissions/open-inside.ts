import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { hasProc } from "../programs/platform.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_CREAT } = constants;

/**
 * Opens a regular file below a directory without following links. Each component is opened relative to the previous
 * one, so that a link that appears in the meantime causes an error. Both paths must be free of links (see
 * `locatePath`). With `O_CREAT`, missing directories are created.
 */
export async function openInside(
  root: string,
  path: string,
  flags: number,
  mode = 0o666,
): Promise<FileHandle> {
  const names = relative(root, path).split(sep);
  const leaf = names.pop() ?? "";
  if (leaf === "" || leaf === ".." || names.includes(".."))
    throw new Error(`${path} is not a file in ${root}`);
  let at: OpenDirectory = { handle: await open(root, O_RDONLY | O_DIRECTORY), path: root };
  try {
    for (const name of names) {
      const next = await openDirectory(at, name, { create: (flags & O_CREAT) !== 0 });
      await at.handle.close();
      at = next;
    }
    // Non-blocking, because a FIFO would wait for its other end.
    const file = await open(below(at, leaf), flags | O_NOFOLLOW | O_NONBLOCK, mode);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new Error(`${path} is not a regular file`);
  } finally {
    await at.handle.close();
  }
}

interface OpenDirectory {
  readonly handle: FileHandle;
  readonly path: string;
}

async function openDirectory(
  parent: OpenDirectory,
  name: string,
  { create }: { create: boolean },
): Promise<OpenDirectory> {
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  const entry = below(parent, name);
  if (create) await mkdir(entry).catch(ignoreExisting);
  return { handle: await open(entry, flags), path: join(parent.path, name) };
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
}

/** Returns the path of a name in an open directory. Without /proc, only the last component is safe from races. */
function below({ handle, path }: OpenDirectory, name: string): string {
  return join(hasProc ? `/proc/self/fd/${handle.fd}` : path, name);
}

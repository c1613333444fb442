import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { realDirectory } from "./is-trusted.ts";

/** The directory in a repository that corresponds to a directory in a worktree that Halyard created. */
export interface WorktreeOrigin {
  readonly directory: string;
  /** Converts a path in the worktree to the corresponding path in the repository. Returns other paths unchanged. */
  toOrigin(path: string): string;
}

/** The fields of a worktree's record that this module reads. */
const Recorded = z.looseObject({ repository: z.string().min(1) });

/**
 * Returns the origin of a directory in a worktree below `worktrees` in Halyard's home. Returns undefined for any other
 * directory, and for a worktree without a valid record. The record is stored next to the worktree, so agents that work in the
 * worktree cannot edit it without permission.
 */
export async function worktreeOrigin(
  cwd: string,
  home: string,
): Promise<WorktreeOrigin | undefined> {
  const top = join(await realDirectory(home), "worktrees");
  const real = await realDirectory(cwd);
  if (!real.startsWith(`${top}${sep}`)) return undefined;
  const [parent = "", name = ""] = relative(top, real).split(sep);
  const root = join(top, parent, name);
  const text = await readFile(`${root}.json`, "utf8").catch(() => undefined);
  const record = text === undefined ? undefined : Recorded.safeParse(parse(text)).data;
  if (!record) return undefined;
  const toOrigin = (path: string) =>
    path === root || path.startsWith(`${root}${sep}`)
      ? join(record.repository, relative(root, path))
      : path;
  return { directory: toOrigin(real), toOrigin };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

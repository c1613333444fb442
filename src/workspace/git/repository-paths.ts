import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** A checkpoint repository's paths, as saved in its directory. */
const RepositoryPaths = z.strictObject({
  /** The directory that is recorded. */
  root: z.string(),
  /** The git directory of the user's worktree. Absent outside a repository. */
  gitDir: z.string().optional(),
  /**
   * The user's git directory that contains the checkpoints' objects and refs. Absent if the private git directory
   * contains the objects.
   */
  commonDir: z.string().optional(),
  /** The objects' hash function. */
  format: z.string(),
});
export type RepositoryPaths = z.infer<typeof RepositoryPaths>;

/** Reads the saved paths. Returns undefined if the file does not exist or is damaged. */
export async function readRepositoryPaths(directory: string): Promise<RepositoryPaths | undefined> {
  const text = await readFile(join(directory, "paths.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return RepositoryPaths.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // the directory will be created again
  }
}

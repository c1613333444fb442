import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** Where a workspace is, as recorded in its directory. */
const PlaceRecord = z.strictObject({
  /** The directory that is recorded. */
  root: z.string(),
  /** The git directory of the user's worktree. Absent outside a repository. */
  gitDir: z.string().optional(),
  /** The git directory that has the objects and refs of the checkpoints. Absent if the private one has them. */
  commonDir: z.string().optional(),
  /** The hash function of the objects. */
  format: z.string(),
});
export type PlaceRecord = z.infer<typeof PlaceRecord>;

/** Reads the record of a workspace. Returns undefined if there is none, or if it is not readable. */
export async function readPlaceRecord(directory: string): Promise<PlaceRecord | undefined> {
  const text = await readFile(join(directory, "place.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return PlaceRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // it is created again
  }
}

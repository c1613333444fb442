import { z } from "zod";
import { SessionId } from "../id.ts";

/** A reference to stored bytes: their number, and the names of the pieces that contain them. */
export const SavedContent = z.strictObject({
  bytes: z.number().int().nonnegative(),
  pieces: z.array(z.string()),
});
export type SavedContent = z.infer<typeof SavedContent>;

/** The branches of a repository, and the commit or branch that is checked out. */
export const Heads = z.strictObject({
  /** The commit of each branch, by its name. */
  branches: z.record(z.string(), z.string()),
  /** The branch or the commit that is checked out. */
  head: z.union([z.strictObject({ branch: z.string() }), z.strictObject({ commit: z.string() })]),
});
export type Heads = z.infer<typeof Heads>;

/** The files and the runtime's record of a session, as saved after a turn for another machine to continue. */
export const SavedSession = z.strictObject({
  version: z.literal(1),
  id: SessionId,
  /** The machine that saved the session, or the machine that continues it. */
  machine: z.string(),
  /** The number of turns that had ended. */
  turns: z.number().int().nonnegative(),
  /** The name of the root directory. */
  name: z.string(),
  /** The working directory, relative to the root. */
  cwd: z.string(),
  isRepository: z.boolean(),
  /** The first checkpoint. */
  base: z.string(),
  /** The last checkpoint. */
  commit: z.string(),
  /** All checkpoints that the packs contain. */
  commits: z.array(z.string()),
  /** Git packs, in the order in which they are added. */
  packs: z.array(SavedContent),
  /** The branches of the session's clone. */
  heads: Heads.optional(),
  /** The files of the runtime's own record. */
  conversation: z.array(z.strictObject({ path: z.string(), content: SavedContent })),
});
export type SavedSession = z.infer<typeof SavedSession>;

import { z } from "zod";

const count = z.number().int().nonnegative();

/** A file that a checkpoint does not contain. */
export const SkippedFile = z.strictObject({
  /** The path, relative to the root of the workspace. */
  path: z.string(),
  /**
   * Why the file was skipped: it is larger than the limit, the checkpoint is full, it cannot be read, it belongs to a
   * nested repository, git does not accept its name, or it is neither a file nor a link.
   */
  reason: z.enum(["too_large", "limit", "unreadable", "repository", "name", "special"]),
});
export type SkippedFile = z.infer<typeof SkippedFile>;

/** The recorded state of all files of a workspace, and how many changed since the checkpoint before. */
export const Checkpoint = z.strictObject({
  /** The git commit that contains the files. */
  commit: z.string(),
  /** The number of files that changed since the checkpoint before. 0 for the first one. */
  files: count,
  /** The number of added lines. */
  insertions: count,
  /** The number of deleted lines. */
  deletions: count,
  /** The files that the checkpoint does not contain, at most 100. */
  skipped: z.array(SkippedFile),
  /** The number of all files that the checkpoint does not contain, if there are more than the list has. */
  skippedTotal: count.optional(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** The change of one file. */
export const FileChange = z.strictObject({
  /** The path, relative to the root of the workspace. */
  path: z.string(),
  /** The earlier path of a renamed file. */
  from: z.string().optional(),
  /** What happened to the file. `"type_changed"` if, for example, a file became a link. */
  status: z.enum(["added", "modified", "deleted", "renamed", "type_changed"]),
  /** The number of added lines. 0 for a binary file. */
  insertions: count,
  /** The number of deleted lines. 0 for a binary file. */
  deletions: count,
  /** True if the file is not text. */
  binary: z.boolean(),
});
export type FileChange = z.infer<typeof FileChange>;

/** The difference between two checkpoints. */
export const Changes = z.strictObject({
  /** The directory that the paths are relative to. */
  root: z.string(),
  /** The commit of the earlier state. */
  from: z.string(),
  /** The commit or tree of the later state. */
  to: z.string(),
  /** The changed files. */
  files: z.array(FileChange),
  /** The number of added lines. */
  insertions: count,
  /** The number of deleted lines. */
  deletions: count,
  /** The unified diff, as `git diff` prints it. */
  diff: z.string(),
  /** True if `diff` was cut because it is too long. The list of files is complete. */
  truncated: z.boolean(),
});
export type Changes = z.infer<typeof Changes>;

/** The result of a rewind. */
export const Rewound = z.strictObject({
  /** The checkpoint that was restored. */
  to: z.string(),
  /** The checkpoint of the state before the rewind. Rewind to it to undo the rewind. */
  before: z.string(),
  /** The checkpoint of the restored state. */
  commit: z.string(),
  /** The number of files that changed. */
  files: count,
  /** The number of added lines. */
  insertions: count,
  /** The number of deleted lines. */
  deletions: count,
  /** Files that the rewind left unchanged although they differ: ignored, skipped or in nested repositories. */
  kept: z.array(z.string()),
});
export type Rewound = z.infer<typeof Rewound>;

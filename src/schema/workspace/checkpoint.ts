import { z } from "zod";
import { TurnId } from "../id.ts";

const count = z.number().int().nonnegative();

/** A file that a checkpoint does not contain. */
export const SkippedFile = z.strictObject({
  /** The path, relative to the root of the workspace. */
  path: z.string(),
  /**
   * Why the file was skipped. `too_large`: the file is larger than the limit. `limit`: the checkpoint is full.
   * `unreadable`: the file cannot be read. `repository`: it belongs to a nested repository. `name`: git does not accept its
   * name. `special`: it is neither a regular file nor a link.
   */
  reason: z.enum(["too_large", "limit", "unreadable", "repository", "name", "special"]),
});
export type SkippedFile = z.infer<typeof SkippedFile>;

/** The recorded state of all files of a workspace, and how much changed since the previous checkpoint. */
export const Checkpoint = z.strictObject({
  /** The git commit that contains the files. */
  commit: z.string(),
  /** The number of files that changed since the previous checkpoint. 0 for the first checkpoint. */
  files: count,
  /** The number of added lines. */
  insertions: count,
  /** The number of deleted lines. */
  deletions: count,
  /** The files that the checkpoint does not contain, at most 100. */
  skipped: z.array(SkippedFile),
  /** The total number of skipped files, if `skipped` does not list all of them. */
  skippedTotal: count.optional(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** The data of a `checkpoint` event. */
export const CheckpointRecord = Checkpoint.extend({
  /**
   * When the files were recorded: at the start of the session, before a turn, after a turn, or before a rewind. Before a
   * turn, files are recorded only if they changed since the last checkpoint.
   */
  when: z.enum(["start", "before_turn", "after_turn", "before_rewind"]),
  /** The turn before or after which the files were recorded. */
  turnId: TurnId.optional(),
});
export type CheckpointRecord = z.infer<typeof CheckpointRecord>;

/** The changes to one file. */
export const FileChange = z.strictObject({
  /** The path, relative to the root of the workspace. */
  path: z.string(),
  /** The earlier path of a renamed file. */
  from: z.string().optional(),
  /** The kind of change. `"type_changed"` means, for example, that a file became a link. */
  status: z.enum(["added", "modified", "deleted", "renamed", "type_changed"]),
  /** The number of added lines. 0 for a binary file. */
  insertions: count,
  /** The number of deleted lines. 0 for a binary file. */
  deletions: count,
  /** True if the file is not text. */
  binary: z.boolean(),
});
export type FileChange = z.infer<typeof FileChange>;

/** The difference between two states of the files of a workspace. */
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
  /** The complete patch as base64, with binary files, for `git apply`. Present if the query requests it. */
  patch: z.base64().optional(),
});
export type Changes = z.infer<typeof Changes>;

/**
 * Identifies a recorded state of the files. `start` is the state at the start of the session. The id or number of a turn
 * is the state at the end of that turn. The commit of a checkpoint is the state of that checkpoint.
 */
export const CheckpointName = z
  .string()
  .regex(/^(?:start|trn_[0-9a-z]{16}|[0-9]{1,9}|[0-9a-f]{40,64})$/, {
    error: 'must be "start", the id or number of a turn, or the commit of a checkpoint',
  });

/** Selects the changes to return. Defaults to all changes of the session. */
export const ChangesQuery = z.strictObject({
  /** The id or number of the turn whose changes to return. The first turn has number 1. */
  turnId: z
    .string()
    .regex(/^(?:trn_[0-9a-z]{16}|[1-9][0-9]{0,8})$/, "must be the id or the number of a turn")
    .optional(),
  /**
   * The earlier state.
   * @defaultValue `"start"`
   */
  from: CheckpointName.optional(),
  /**
   * The later state. `"now"` compares with the current files.
   * @defaultValue the last checkpoint, or the current files while a turn runs
   */
  to: z.union([z.literal("now"), CheckpointName]).optional(),
  /**
   * `"agent"` excludes changes that were made between turns, such as your own edits. Cannot be combined with `from`,
   * `to` or `patch`.
   * @defaultValue all changes
   */
  by: z.literal("agent").optional(),
  /**
   * True to return the complete patch as well. Rejected if the patch is larger than 64 MiB.
   * @defaultValue false
   */
  patch: z.stringbool().or(z.boolean()).optional(),
});
export type ChangesQuery = z.infer<typeof ChangesQuery>;

/** The arguments of a rewind. */
export const RewindRequest = z.strictObject({
  /** The state to restore. */
  to: CheckpointName,
});
export type RewindRequest = z.infer<typeof RewindRequest>;

/** The result of a rewind. */
export const Rewound = z.strictObject({
  /** The checkpoint that was restored. */
  to: z.string(),
  /** The checkpoint of the state before the rewind. To undo the rewind, rewind to this checkpoint. */
  before: z.string(),
  /** The checkpoint of the restored state. */
  commit: z.string(),
  /** The number of files that changed. */
  files: count,
  /** The number of added lines. */
  insertions: count,
  /** The number of deleted lines. */
  deletions: count,
  /**
   * Files that differ from the checkpoint but were not restored, because they are ignored, skipped or in nested
   * repositories.
   */
  kept: z.array(z.string()),
});
export type Rewound = z.infer<typeof Rewound>;

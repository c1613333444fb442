import type { StartBody } from "../../schema/http/http.ts";
import type { Changes } from "../../schema/workspace/checkpoint.ts";

/** The settings that the dialog offers for a new session. */
export type NewSession = Pick<
  StartBody,
  "runtime" | "cwd" | "model" | "permissions" | "plan" | "name" | "prompt" | "worktree"
>;

/** The changes that a session or one of its turns made. */
export type ChangeSet = Pick<Changes, "files" | "insertions" | "deletions" | "diff" | "truncated">;

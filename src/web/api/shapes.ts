import type { StartBody } from "../../schema/http/http.ts";
import type { Changes } from "../../schema/workspace/checkpoint.ts";

/** The settings of a new session that the dialog offers. */
export type NewSession = Pick<
  StartBody,
  "runtime" | "cwd" | "model" | "permissions" | "plan" | "name" | "prompt" | "worktree"
>;

/** The changes of a session or of one of its turns. */
export type ChangeSet = Pick<Changes, "files" | "insertions" | "deletions" | "diff" | "truncated">;

import { HalyardError } from "../errors/error.ts";
import { GitError } from "./git/git.ts";

/** Returns the error for a checkpoint that does not exist. */
export function checkpointNotFound(commit: string, options: ErrorOptions = {}): HalyardError {
  return new HalyardError(
    "checkpoint_not_found",
    `The checkpoint ${commit} does not exist, or its repository was deleted. Run "halyard events ID --format json" to list the checkpoints of the session.`,
    options,
  );
}

/** Runs a task that reads checkpoints. Rejects with `checkpoint_not_found` if git does not find one of them. */
export async function requireCheckpoints<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const [, commit] =
      error instanceof GitError ? (/bad object ([0-9a-f]{40,})/.exec(error.stderr) ?? []) : [];
    throw commit === undefined ? error : checkpointNotFound(commit, { cause: error });
  }
}

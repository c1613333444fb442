import { HalyardError } from "../../errors/error.ts";
import type { Environment } from "../../programs/environment.ts";
import { GitError, runGit } from "../git/git.ts";
import { withCheckpoints } from "./pack-directory.ts";

/** The result of applying a patch. */
export interface AppliedPatch {
  /** The directory to which the patch's paths are relative. */
  readonly root: string;
  /** False if the files already contain the changes. */
  readonly hasChanged: boolean;
}

/**
 * Applies a whole patch at the root of a directory's repository, or in the directory if it is in no repository. Rejects
 * with `conflict` and changes nothing if a part of the patch does not apply. The index and the branches do not change.
 */
export function applyPatch(
  directory: string,
  patch: Buffer,
  env: Environment,
): Promise<AppliedPatch> {
  return withCheckpoints(directory, env, async ({ root, git }) => {
    if (patch.length === 0) return { root, hasChanged: false };
    const run = (...more: string[]) =>
      runGit(["apply", "--whitespace=nowarn", ...more], { ...git, input: patch });
    try {
      await run();
      return { root, hasChanged: true };
    } catch (error) {
      if (!(error instanceof GitError) || error.reason !== "failed") throw error;
      const isThere = await run("--reverse", "--check").then(
        () => true,
        () => false,
      );
      if (isThere) return { root, hasChanged: false };
      throw conflict(root, error);
    }
  });
}

function conflict(root: string, cause: GitError): HalyardError {
  const lines = cause.stderr.split("\n").filter((line) => line.startsWith("error: "));
  const named = lines.map((line) => line.slice("error: ".length));
  const shown = [...new Set(named)].slice(0, 10).join("; ");
  return new HalyardError(
    "conflict",
    `The changes conflict with the files in ${root}, and nothing was changed: ${shown}. Stash your own changes to these files and try again, or run "halyard diff ID" and apply the changes by hand.`,
    { cause },
  );
}

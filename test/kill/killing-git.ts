import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A `git` for the PATH that kills the process that starts it. */
export interface KillingGit {
  readonly path: string;
  /**
   * Kills at the given call: before git runs, or while it runs. `undefined` never kills. `"removal"` kills when
   * `git worktree remove` has deleted a part of the files.
   */
  arm(call: number | "removal" | undefined, when?: "before" | "during"): Promise<void>;
  /** The number of calls since `arm`. */
  calls(): Promise<number>;
}

/** Creates the program in a directory that contains nothing else. */
export async function createKillingGit(directory: string): Promise<KillingGit> {
  const bin = join(directory, "bin");
  const calls = join(directory, "calls");
  await mkdir(bin, { recursive: true });
  return {
    path: `${bin}:${process.env.PATH}`,
    async arm(call, when = "before") {
      await rm(calls, { recursive: true, force: true });
      await mkdir(calls);
      await writeFile(join(bin, "git"), script(calls, call, when), { mode: 0o755 });
    },
    calls: async () => (await readdir(calls)).length,
  };
}

/**
 * Returns the script that replaces `git`. Each call claims the next number by creating a directory, so that concurrent
 * calls have different numbers.
 */
function script(
  calls: string,
  call: number | "removal" | undefined,
  when: "before" | "during",
): string {
  const isDue =
    call === "removal"
      ? 'case "$*" in *" worktree remove "*) true ;; *) false ;; esac'
      : `[ $n = ${call ?? 0} ]`;
  const halfway =
    'for last; do :; done; rm -r "$last/.git" "$last/.gitignore" "$last/old.txt"; kill -9 $PPID';
  const kill =
    call === "removal"
      ? halfway
      : when === "before"
        ? "kill -9 $PPID"
        : 'git "$@" <&0 & sleep 0.004; kill -9 $! $PPID 2>/dev/null';
  return `#!/bin/sh
PATH=\${PATH#*:}
n=1
while ! mkdir ${calls}/$n 2>/dev/null; do n=$((n + 1)); done
${isDue} && { ${kill}; exit 1; }
exec git "$@"
`;
}

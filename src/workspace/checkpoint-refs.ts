import { link, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { GitError, type GitOptions, gitText, runGit } from "./git/git.ts";

/**
 * The refs that protect a session's checkpoints: `refs/halyard/<session>/<number>`. Without them, `git gc` would delete
 * the commits.
 */
export class CheckpointRefs {
  readonly #git: GitOptions;
  readonly #prefix: string;
  #next: Promise<number> | undefined;
  #hasFiles: boolean | undefined;

  /**
   * `git` contains the git directory with the refs. Ref commands run no filters and need no files, so that a removed
   * worktree's refs can still be deleted.
   */
  constructor(git: GitOptions, sessionId: string) {
    this.#git = { ...git, isPrivate: true, cwd: git.gitDir };
    this.#prefix = `refs/halyard/${sessionId}/`;
  }

  /** Starts searching for the next free number in the background. */
  prepare(): void {
    this.#next ??= this.#firstFree();
    this.#next.catch(() => {
      this.#next = undefined; // `add` retries and reports the error
    });
  }

  /**
   * Adds a ref with the next free number. Tries at most 3 more numbers if the ref exists or a killed process left its
   * lock.
   */
  async add(commit: string, signal: AbortSignal | undefined): Promise<void> {
    const first = await (this.#next ?? this.#firstFree());
    for (let number = first; ; number++) {
      try {
        await this.#create(`${this.#prefix}${number}`, commit, signal);
        this.#next = Promise.resolve(number + 1);
        return;
      } catch (error) {
        if (!isTaken(error) || number >= first + MAX_TRIES) throw error;
      }
    }
  }

  /**
   * Creates a ref that must not exist yet. If git stores refs as files, writes the file directly while holding git's
   * lock. Otherwise runs `git update-ref`.
   */
  async #create(name: string, commit: string, signal: AbortSignal | undefined): Promise<void> {
    const { gitDir } = this.#git;
    this.#hasFiles ??= !(await exists(join(gitDir, "reftable")));
    if (!this.#hasFiles) {
      const zero = "0".repeat(commit.length);
      await runGit(["update-ref", name, commit, zero], { ...this.#git, signal });
      return;
    }
    const file = join(gitDir, name);
    const lock = `${file}.lock`;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(lock, `${commit}\n`, { flag: "wx" });
    try {
      await link(lock, file);
    } finally {
      await rm(lock, { force: true });
    }
  }

  /** Deletes all of the session's refs. */
  async removeAll(): Promise<void> {
    const { gitDir } = this.#git;
    const names = await this.#names();
    // A killed process may have left a ref's lock. Only the session's owner writes its refs, so no process holds the
    // lock.
    for (const name of names) await rm(join(gitDir, `${name}.lock`), { force: true });
    const input = names.map((name) => `delete ${name}\n`).join("");
    if (input !== "") await runGit(["update-ref", "--stdin"], { ...this.#git, input });
    const left = join(gitDir, this.#prefix); // contains the locks of refs that were never written
    await rm(left, { recursive: true, force: true });
  }

  async #firstFree(): Promise<number> {
    const numbers = (await this.#names()).map((name) => Number(name.slice(this.#prefix.length)));
    return Math.max(0, ...numbers.filter(Number.isSafeInteger)) + 1;
  }

  async #names(): Promise<string[]> {
    const args = ["for-each-ref", "--format=%(refname)", this.#prefix];
    return (await gitText(args, this.#git)).split("\n").filter((name) => name !== "");
  }
}

const MAX_TRIES = 3;

function isTaken(error: unknown): boolean {
  if (error instanceof GitError) return error.reason === "failed";
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

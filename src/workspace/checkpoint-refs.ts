import { GitError, type GitOptions, gitText, runGit } from "./git.ts";

/**
 * The refs that keep the checkpoints of a session alive: `refs/halyard/<session>/<number>`. Without them, `git gc` would
 * delete the commits.
 */
export class CheckpointRefs {
  readonly #git: GitOptions;
  readonly #prefix: string;
  #next: number | undefined;

  /** `git` names the git directory that has the refs. Commands for refs run no filters. */
  constructor(git: GitOptions, sessionId: string) {
    this.#git = { ...git, isPrivate: true };
    this.#prefix = `refs/halyard/${sessionId}/`;
  }

  /** Adds a ref with the next free number. Takes another number if a killed process left a lock. */
  async add(commit: string, signal: AbortSignal | undefined): Promise<void> {
    const zero = "0".repeat(commit.length); // the ref must not exist
    const first = this.#next ?? (await this.#firstFree());
    for (let number = first; ; number++) {
      try {
        const args = ["update-ref", `${this.#prefix}${number}`, commit, zero];
        await runGit(args, { ...this.#git, signal });
        this.#next = number + 1;
        return;
      } catch (error) {
        const isFinal = !(error instanceof GitError) || error.reason !== "failed";
        if (isFinal || number >= first + MAX_TRIES) throw error;
      }
    }
  }

  /** Deletes all refs of the session. */
  async removeAll(): Promise<void> {
    const commands = (await this.#names()).map((name) => `delete ${name}\n`).join("");
    if (commands === "") return;
    await runGit(["update-ref", "--stdin"], { ...this.#git, input: commands });
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

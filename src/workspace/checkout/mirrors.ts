import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Lanes } from "../../async/lanes.ts";
import { HalyardError } from "../../errors/error.ts";
import { sentence } from "../../errors/sentence.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import type { Environment } from "../../programs/environment.ts";
import type { RepositoryRequest } from "../../schema/workspace/checkout.ts";
import { GitError, type GitOptions, gitText, runGit } from "../git/git.ts";
import { createGitDirectory } from "./git-directory.ts";

/** A commit in a repository, and the branch whose head it is. The branch is undefined for a tag or a commit hash. */
export interface FoundCommit {
  readonly commit: string;
  readonly branch?: string | undefined;
}

/**
 * The repository mirrors on this machine. A repository is downloaded once; after that, only new objects are downloaded.
 */
export class Mirrors {
  readonly #directory: string;
  readonly #env: Environment;
  readonly #lanes = new Lanes();

  constructor(directory: string, env: Environment) {
    this.#directory = directory;
    this.#env = env;
  }

  /**
   * Updates a repository's mirror, finds the requested commit, and calls `use` while no other caller changes the
   * mirror. If the mirror already contains the commit `known`, uses that commit and does not contact the repository.
   * Rejects with `workspace_failed` if git fails, and with `invalid_input` if the repository has no commits, or no branch
   * or tag named `ref`.
   */
  use<T>(
    { url, ref }: RepositoryRequest,
    use: (mirror: GitOptions, found: FoundCommit) => Promise<T>,
    { known }: { readonly known?: string } = {},
  ): Promise<T> {
    const name = createHash("sha256").update(url).digest("hex").slice(0, 24);
    return this.#lanes.run(name, async () => {
      const gitDir = join(this.#directory, name);
      if (!existsSync(join(gitDir, "HEAD"))) {
        await makeDirectory(this.#directory, { mode: 0o700 });
        await createGitDirectory(gitDir);
      }
      const git = { gitDir, env: this.#env, isPrivate: true } as const;
      try {
        const commit = known && (await commitOf(known, git));
        if (commit) return await use(git, { commit });
        return await use(git, await this.#update(git, url, known ?? ref));
      } catch (error) {
        throw error instanceof GitError ? cannotClone(url, error) : error;
      }
    });
  }

  async #update(git: GitOptions, url: string, ref: string | undefined): Promise<FoundCommit> {
    const remote = { ...git, reachesRemote: true };
    const specs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
    await runGit(
      ["fetch", "--quiet", "--prune", "--no-tags", "--end-of-options", url, ...specs],
      remote,
    );
    const branch = ref ?? (await defaultBranch(url, remote));
    const head = branch && (await commitOf(`refs/heads/${branch}`, git));
    if (head) return { commit: head, branch };
    const tag = ref && (await commitOf(`refs/tags/${ref}`, git));
    if (tag) return { commit: tag };
    if (ref && /^[0-9a-f]{40}$/.test(ref)) {
      const found = await commitOf(ref, git);
      if (found) return { commit: found };
      await runGit(["fetch", "--quiet", "--no-tags", "--end-of-options", url, ref], remote);
      return { commit: ref };
    }
    const message = ref
      ? `repository: ${url} has no branch, tag or commit "${ref}". Run "git ls-remote ${url}" to list its branches and tags.`
      : `repository: ${url} has no commits. Push a commit to it first.`;
    throw new HalyardError("invalid_input", message);
  }
}

async function defaultBranch(url: string, git: GitOptions): Promise<string | undefined> {
  const text = await gitText(["ls-remote", "--symref", "--end-of-options", url, "HEAD"], git);
  return /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(text)?.[1];
}

/** Returns the commit with this name, or undefined if the git directory does not contain it. */
async function commitOf(name: string, git: GitOptions): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  return (await gitText(args, { ...git, exitCodes: [0, 1, 128] })) || undefined;
}

function cannotClone(url: string, cause: GitError): HalyardError {
  const reason = (cause.stderr || cause.message).split("\n").slice(-4).join(" ");
  return new HalyardError(
    "workspace_failed",
    `The repository ${url} cannot be cloned: ${sentence(reason)} Run "git ls-remote ${url}" on the session's machine to check that it has access.`,
    { cause },
  );
}

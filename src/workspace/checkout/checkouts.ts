import { constants } from "node:fs";
import { cp, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Checkouts } from "../../contracts/checkouts.ts";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { sentence } from "../../errors/sentence.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import type { Environment } from "../../programs/environment.ts";
import { SessionId } from "../../schema/id.ts";
import { GitError, type GitOptions, gitText, runGit } from "../git/git.ts";
import { addPack } from "../transfer/packs.ts";
import { createGitDirectory } from "./git-directory.ts";
import { type FoundCommit, Mirrors } from "./mirrors.ts";

/** Options for `createCheckouts`. */
export interface CheckoutsOptions {
  /** The Halyard home. Clones and uploaded files are in `checkouts`, and repository mirrors are in `mirrors`. */
  readonly home: string;
  readonly env: Environment;
}

/** Creates the component that clones and unpacks files for the sessions of a Halyard home. */
export function createCheckouts({ home, env }: CheckoutsOptions): Checkouts {
  const mirrors = new Mirrors(join(home, "mirrors"), env);
  const directoryOf = (id: SessionId) => join(home, "checkouts", id);
  const make = async (id: SessionId, name: string): Promise<string> => {
    const directory = directoryOf(id);
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    const path = join(directory, name);
    await makeDirectory(path, { mode: 0o700 });
    return realpath(path);
  };
  return {
    async clone(id, request, known) {
      const { url, ref } = request;
      const path = await make(id, nameIn(url));
      const copy = async (mirror: GitOptions, found: FoundCommit) => {
        await cloneAt(path, mirror, { url, found });
        return { path, base: found.commit, url, ...(ref !== undefined && { ref }) };
      };
      return mirrors.use(request, copy, known === undefined ? {} : { known });
    },
    async unpack(id, { commit, pack, name }) {
      const path = await make(id, name);
      const git = await initializeAt(path, env);
      try {
        await addPack(git, Buffer.from(pack, "base64"));
        await runGit(["update-ref", "refs/heads/main", commit], git);
        await runGit(["symbolic-ref", "HEAD", "refs/heads/main"], git);
        await runGit(["reset", "--hard", "--quiet"], git);
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        const message = `upload: the files cannot be unpacked: ${sentence(reasonOf(error))} Upload them again.`;
        throw new HalyardError("invalid_input", message, { cause: error });
      }
      return { path, base: commit };
    },
    async makeEmpty(id, name, { isRepository }) {
      const path = await make(id, name);
      if (isRepository) await initializeAt(path, env);
      return path;
    },
    async list() {
      const names = await readdir(join(home, "checkouts")).catch(() => []);
      return names.flatMap((name) => SessionId.safeParse(name).data ?? []);
    },
    remove: (id) => rm(directoryOf(id), { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Writes a clone that does not depend on the mirror, so that a container needs only the clone. */
async function cloneAt(
  path: string,
  mirror: GitOptions,
  { url, found: { commit, branch } }: { readonly url: string; readonly found: FoundCommit },
): Promise<void> {
  const git = await initializeAt(path, mirror.env);
  await cp(join(mirror.gitDir, "objects"), join(git.gitDir, "objects"), {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
  });
  const list = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/", "refs/tags/"];
  const updates = (await gitText(list, mirror)).split("\n").flatMap((line) => {
    const [hash, name = ""] = line.split(" ");
    return name === ""
      ? []
      : [`create ${name.replace("refs/heads/", "refs/remotes/origin/")} ${hash}`];
  });
  if (branch !== undefined) updates.push(`create refs/heads/${branch} ${commit}`);
  await runGit(["update-ref", "--stdin"], { ...git, input: `${updates.join("\n")}\n` });
  const settings = [
    ["remote.origin.url", url],
    ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
    ...(branch === undefined
      ? []
      : [
          [`branch.${branch}.remote`, "origin"],
          [`branch.${branch}.merge`, `refs/heads/${branch}`],
        ]),
  ];
  for (const [name = "", value = ""] of settings) await runGit(["config", name, value], git);
  const head =
    branch === undefined
      ? ["update-ref", "--no-deref", "HEAD", commit]
      : ["symbolic-ref", "HEAD", `refs/heads/${branch}`];
  await runGit(head, git);
  await runGit(["reset", "--hard", "--quiet"], git);
}

/**
 * Creates an empty repository. Returns options that treat it as private, because only Halyard has written its
 * configuration so far.
 */
async function initializeAt(path: string, env: Environment): Promise<GitOptions> {
  const gitDir = join(path, ".git");
  await createGitDirectory(gitDir);
  return { gitDir, workTree: path, env, isPrivate: true };
}

/** Returns a repository's name: the last part of its address without `.git`. */
function nameIn(url: string): string {
  const [, name = ""] = /([^/:\\]+?)(?:\.git)?\/*$/.exec(url) ?? [];
  return (
    name
      .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
      .replaceAll(/^[.-]+/g, "")
      .slice(0, 80) || "repository"
  );
}

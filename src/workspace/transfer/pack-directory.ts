import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { HalyardError } from "../../errors/error.ts";
import { newSessionId } from "../../errors/require-id.ts";
import type { Environment } from "../../programs/environment.ts";
import type { UploadedFiles } from "../../schema/workspace/checkout.ts";
import { takeCheckpoint } from "../checkpoint.ts";
import type { CheckpointRepository } from "../checkpoint-repository.ts";
import { findExcludesFile } from "../git/excludes-file.ts";
import {
  openCheckpointRepository,
  removeCheckpointRepository,
} from "../open-checkpoint-repository.ts";
import { packObjects } from "./packs.ts";

/** A directory's files for a session on another machine, as fields of a `StartRequest`. */
export interface PackedDirectory {
  readonly upload: UploadedFiles;
  /** The directory, relative to the root of the files. */
  readonly cwd: string;
}

/**
 * Packs the repository that contains a directory, or the directory itself if it is in no repository. Includes all files
 * that git does not ignore, committed or not, except those that a checkpoint skips. Omits the history. Rejects
 * with `too_large` if the pack is larger than 22 MiB.
 */
export function packDirectory(directory: string, env: Environment): Promise<PackedDirectory> {
  return withCheckpoints(directory, env, async (repository) => {
    const { root, git } = repository;
    const { commit } = await takeCheckpoint(repository, {});
    const pack = await packObjects(git, { commits: [commit] }, { maxBytes: MAX_BYTES });
    if (pack === undefined)
      throw new HalyardError(
        "too_large",
        `The files in ${root} are larger than ${MAX_BYTES / 2 ** 20} MiB after compression. Push them to a repository, and start the session with --repo URL.`,
      );
    const name = basename(root)
      .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
      .replaceAll(/^[.-]+/g, "");
    const upload = { commit, pack: pack.toString("base64"), name: name.slice(0, 80) || "files" };
    return { upload, cwd: relative(root, await realpath(directory)) || "." };
  });
}

/** Calls `use` with a temporary checkpoint repository for a directory, and deletes the repository afterward. */
export async function withCheckpoints<T>(
  directory: string,
  env: Environment,
  use: (repository: CheckpointRepository) => Promise<T>,
): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), "halyard-pack-"));
  const options = { home, env, now: () => new Date(), excludesFile: await findExcludesFile(env) };
  const id = newSessionId(); // an id that no session has
  try {
    return await use(await openCheckpointRepository(id, directory, options));
  } finally {
    await removeCheckpointRepository(id, options);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The maximum size of a pack in bytes. As base64, such a pack fits into a request body. */
const MAX_BYTES = 22 * 2 ** 20;

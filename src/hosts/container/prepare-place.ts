import { chmodSync, chownSync, mkdirSync, realpathSync } from "node:fs";
import { lchown, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { HalyardError } from "../../core/error.ts";
import { SECRETS_FILE } from "../../core/session-secrets.ts";
import { RECORD_FILE } from "../recording/run-files.ts";
import { type Place, placePaths } from "./place.ts";
import type { ContainerUser } from "./user.ts";

/**
 * Creates the directories of a place. Those that are mounted belong to the container's user; the one that holds them is
 * Halyard's own, so the agent cannot replace any of them. Without a user they keep their owner.
 */
export function preparePlace({ directory }: Pick<Place, "directory">, user?: ContainerUser): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  for (const path of Object.values(placePaths(directory))) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    if (isRoot && user !== undefined) chownSync(path, user.uid, user.gid);
  }
}

/**
 * Rejects a workspace that would let the agent write Halyard's own files: one that holds Halyard's home, or lies in it
 * outside of a project's workspaces.
 */
export function requireApart(home: string, workspace: string): void {
  const [own, theirs] = [realpathOf(home), realpathOf(workspace)];
  const isOutside = relative(own, theirs).startsWith("..");
  const holdsHome = !relative(theirs, own).startsWith("..");
  const [top, , name] = relative(own, theirs).split(sep);
  const isWorkspace = top === "projects" && name === "workspaces";
  if (!holdsHome && (isOutside || isWorkspace)) return;
  throw new HalyardError(
    "invalid_input",
    `cwd: an agent in a container could change Halyard's own files, because ${workspace} and ${home} (Halyard's home) ` +
      "overlap. Choose a directory below, or set HALYARD_HOME to a directory elsewhere.",
  );
}

/** The path itself if it does not exist: then the start fails for that. */
function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Gives a run directory and its content to the container's user, except the files that only Halyard reads. Only root can
 * do this and only root has to. The container sees the directory read-only, so the agent cannot interfere.
 */
export async function handOver(runDir: string, user: ContainerUser): Promise<void> {
  const { uid, gid } = user;
  if (process.getuid?.() !== 0 || uid === 0) return;
  await lchown(runDir, uid, gid);
  for (const entry of await readdir(runDir, { withFileTypes: true })) {
    const path = join(runDir, entry.name);
    if (entry.isDirectory()) await handOver(path, user);
    else if (!HOST_ONLY.includes(entry.name)) await lchown(path, uid, gid);
  }
}

const HOST_ONLY: readonly string[] = [RECORD_FILE, SECRETS_FILE];

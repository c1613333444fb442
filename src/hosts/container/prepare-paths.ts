import { chmodSync, chownSync, mkdirSync, realpathSync } from "node:fs";
import { lchown, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { HalyardError } from "../../errors/error.ts";
import { isWithin } from "../../files/is-within.ts";
import { SECRETS_FILE } from "../../session/session-secrets.ts";
import { RECORD_FILE } from "../recording/run-files.ts";
import { type ContainerPlan, containerPaths } from "./container-paths.ts";
import type { ContainerUser } from "./user.ts";

/**
 * Creates a container's directories. If Halyard runs as root, the mounted directories belong to the given user.
 * Otherwise, or if no user is given, they keep their owner. Their parent belongs to Halyard, so that the agent cannot
 * replace them.
 */
export function prepareContainerPaths(
  { directory }: Pick<ContainerPlan, "directory">,
  user?: ContainerUser,
): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  for (const path of Object.values(containerPaths(directory))) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    if (isRoot && user !== undefined) chownSync(path, user.uid, user.gid);
  }
}

/**
 * Throws `invalid_input` if the agent could write to Halyard's files through the workspace: if the workspace contains
 * Halyard's home, or is inside the home but not in a project's workspaces.
 */
export function requireSeparateWorkspace(home: string, workspace: string): void {
  const [own, theirs] = [realpathOf(home), realpathOf(workspace)];
  const isOutside = !isWithin(theirs, own);
  const holdsHome = isWithin(own, theirs);
  const [top, , name] = relative(own, theirs).split(sep);
  const isWorkspace = top === "projects" && name === "workspaces";
  if (!holdsHome && (isOutside || isWorkspace)) return;
  throw new HalyardError(
    "invalid_input",
    `cwd: an agent in a container could change Halyard's files, because ${workspace} and ${home} (Halyard's home) ` +
      "overlap. Choose another directory, or set HALYARD_HOME to a directory elsewhere.",
  );
}

/**
 * Resolves links. Returns the path unchanged if it does not exist; starting the container then reports the missing
 * path.
 */
function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Changes the owner of a run directory and its files to the container's user, except files that only Halyard reads. Has
 * an effect only if Halyard runs as root. The container mounts the directory read-only, so the agent cannot replace
 * files in the meantime.
 */
export async function giveToContainerUser(runDir: string, user: ContainerUser): Promise<void> {
  const { uid, gid } = user;
  if (process.getuid?.() !== 0 || uid === 0) return;
  await lchown(runDir, uid, gid);
  for (const entry of await readdir(runDir, { withFileTypes: true })) {
    const path = join(runDir, entry.name);
    if (entry.isDirectory()) await giveToContainerUser(path, user);
    else if (!HOST_ONLY.includes(entry.name)) await lchown(path, uid, gid);
  }
}

const HOST_ONLY: readonly string[] = [RECORD_FILE, SECRETS_FILE];

import { statSync } from "node:fs";
import { HalyardError } from "../../errors/error.ts";
import type { ContainerPlan } from "./container-paths.ts";

/** The user that programs in a container run as. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the configured user. Defaults to the workspace's owner, so that new files have the same owner. Throws if that
 * owner is root, because root must be configured explicitly.
 */
export function userFor(workspace: string, configured: string | undefined): ContainerUser {
  if (configured === "root") return { uid: 0, gid: 0 };
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(configured ?? "") ?? [];
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid ?? uid) };
  const owner = statSync(workspace);
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  throw new HalyardError(
    "start_failed",
    `${workspace} belongs to root, and programs in containers do not run as root. Run ` +
      `"chown -R 1000:1000 ${workspace}" to change its owner, or set container.user to "root".`,
  );
}

/**
 * Like `userFor`, but for a session that may already be running. Returns undefined if the user cannot be determined,
 * which matters only for a start.
 */
export function ownerOf({ workspace, options }: ContainerPlan): ContainerUser | undefined {
  try {
    return userFor(workspace, options.user);
  } catch {
    return undefined;
  }
}

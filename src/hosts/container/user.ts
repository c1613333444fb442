import { statSync } from "node:fs";
import { HalyardError } from "../../core/error.ts";
import type { Place } from "./place.ts";

/** Whom programs in a container run as. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The owner of the workspace, so that what is written there belongs to the same user as before. Nobody runs as root who
 * did not ask for it.
 */
export function userFor(workspace: string, asked: string | undefined): ContainerUser {
  if (asked === "root") return { uid: 0, gid: 0 };
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(asked ?? "") ?? [];
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid ?? uid) };
  const owner = statSync(workspace);
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  throw new HalyardError(
    "start_failed",
    `${workspace} belongs to root, and programs in containers do not run as root. Give it to another user ` +
      `(chown -R 1000:1000 ${workspace}), or ask for root there (container.user: "root").`,
  );
}

/** The same for the place of a session that may run already; undefined if it cannot be determined, which matters to a start only. */
export function ownerOf({ workspace, options }: Place): ContainerUser | undefined {
  try {
    return userFor(workspace, options.user);
  } catch {
    return undefined;
  }
}

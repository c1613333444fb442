import { statSync } from "node:fs";
import { chown, lchown, readdir } from "node:fs/promises";
import { join } from "node:path";
import { HalyardError } from "../../core/error.ts";

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

/** Gives a directory and all in it to that user, which only root can and only root needs to do. */
export async function handOver(directory: string, { uid, gid }: ContainerUser): Promise<void> {
  if (process.getuid?.() !== 0 || uid === 0) return;
  await chown(directory, uid, gid);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await handOver(path, { uid, gid });
    else await lchown(path, uid, gid);
  }
}

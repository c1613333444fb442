import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Limits the size of files that a running process writes to one byte, so that writes fail as on a full disk. */
export async function fillDiskOf({ pid }: { readonly pid?: number | undefined }): Promise<void> {
  await run("prlimit", ["--pid", String(pid), "--fsize=1:"]);
}

export async function freeDiskOf({ pid }: { readonly pid?: number | undefined }): Promise<void> {
  await run("prlimit", ["--pid", String(pid), "--fsize=unlimited:"]);
}

/** The command prefix that drops the right of root to ignore file permissions. Empty if the user is not root. */
export const asOrdinaryUser: readonly string[] =
  process.getuid?.() === 0
    ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"]
    : [];

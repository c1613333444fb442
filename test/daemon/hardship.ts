import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** To a running process the disk is full, as far as files go: nothing that it writes finds room. */
export async function fillDiskOf({ pid }: { readonly pid?: number | undefined }): Promise<void> {
  await run("prlimit", ["--pid", String(pid), "--fsize=1:"]);
}

export async function freeDiskOf({ pid }: { readonly pid?: number | undefined }): Promise<void> {
  await run("prlimit", ["--pid", String(pid), "--fsize=unlimited:"]);
}

/** What to put before a program to have it obey the rights of files, which root does not. */
export const asOrdinaryUser: readonly string[] =
  process.getuid?.() === 0
    ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"]
    : [];

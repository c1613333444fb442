import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Releases the disk space of the whole blocks between two byte offsets of a file (hole punching). The blocks then read
 * as zeros. The file's size and all offsets stay the same for readers and writers. Rejects without a change if the
 * system or file system does not support hole punching.
 */
export async function releaseSpace(
  path: string,
  { from = 0, before }: { readonly from?: number; readonly before: number },
): Promise<void> {
  const offset = Math.ceil(from / BLOCK_BYTES) * BLOCK_BYTES;
  const length = before - (before % BLOCK_BYTES) - offset;
  if (length <= 0) return;
  const range = ["--offset", String(offset), "--length", String(length)];
  await promisify(execFile)("fallocate", ["--punch-hole", ...range, path]);
}

/** The size of a file system block in bytes. Smaller holes release nothing. */
const BLOCK_BYTES = 4096;

import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Releases the disk space of a file before this byte (hole punching). File size and offsets stay the same for readers
 * and writers. Rejects without a change if the system or file system does not support it.
 */
export async function releaseBefore(path: string, byte: number): Promise<void> {
  const length = byte - (byte % BLOCK_BYTES);
  if (length <= 0) return;
  const range = ["--offset", "0", "--length", String(length)];
  await promisify(execFile)("fallocate", ["--punch-hole", ...range, path]);
}

/** Size of a file system block. Smaller holes release nothing. */
const BLOCK_BYTES = 4096;

import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Gives back the space that the beginning of a file takes, up to that byte. The file stays as long as it is, and what
 * comes after stays where it is, for those who read it and for those who add to it. Rejects where the system or the
 * file system cannot do this; then all is as before.
 */
export async function releaseBefore(path: string, byte: number): Promise<void> {
  const length = byte - (byte % BLOCK_BYTES);
  if (length <= 0) return;
  const range = ["--offset", "0", "--length", String(length)];
  await promisify(execFile)("fallocate", ["--punch-hole", ...range, path]);
}

/** Less than a block takes no space of its own. */
const BLOCK_BYTES = 4096;

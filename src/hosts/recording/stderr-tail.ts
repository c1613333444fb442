import { open, stat } from "node:fs/promises";
import { errno } from "./errno.ts";

/** Returns the last 8 KiB of a file, starting at a character boundary. Returns an empty string for a missing file. */
export async function readTail(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), { position: start });
    const bytes = buffer.subarray(0, bytesRead);
    return bytes.subarray(start > 0 ? characterStart(bytes) : 0).toString("utf8");
  } catch (error) {
    if (errno(error) === "ENOENT") return ""; // the run directory has been removed
    throw error;
  }
}

/** Returns the offset at which the tail currently starts. The bytes before it are no longer needed. */
export async function tailStart(path: string): Promise<number> {
  return Math.max(0, (await stat(path)).size - TAIL_BYTES);
}

const TAIL_BYTES = 8 * 1024;

function characterStart(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(start, 0);
}

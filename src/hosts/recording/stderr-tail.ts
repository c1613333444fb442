import { open, stat } from "node:fs/promises";
import { errno } from "./errno.ts";

/** The last of what is in the file, from the beginning of a character on. */
export async function readTail(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), { position: start });
    const bytes = buffer.subarray(0, bytesRead);
    return bytes.subarray(start > 0 ? characterStart(bytes) : 0).toString("utf8");
  } catch (error) {
    if (errno(error) === "ENOENT") return ""; // the run directory is gone already
    throw error;
  }
}

/** Where that begins, as far as the file goes now: nobody reads what is before. */
export async function tailStart(path: string): Promise<number> {
  return Math.max(0, (await stat(path)).size - TAIL_BYTES);
}

const TAIL_BYTES = 8 * 1024;

function characterStart(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(start, 0);
}

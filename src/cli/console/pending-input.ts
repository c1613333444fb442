import { closeSync, constants, openSync, readSync } from "node:fs";

/** Standard input with its file descriptor. */
export type ConsoleInput = NodeJS.ReadStream & { readonly fd: number };

/**
 * Reads and removes everything typed so far, from Node's and the kernel's buffers, without blocking. In raw mode this
 * includes an unfinished line.
 */
export function takePendingInput(input: ConsoleInput): string {
  const buffered = input.readableLength > 0 ? String(input.read() ?? "") : "";
  return input.isTTY ? `${buffered}${readKernelBuffer(input.fd)}` : buffered;
}

/** Reads from a second descriptor, because O_NONBLOCK on the first one would affect every process that shares it. */
function readKernelBuffer(fd: number): string {
  const tty = reopenTTY(fd);
  if (tty === undefined) return "";
  const chunks: Buffer[] = [];
  try {
    for (let total = 0; total < LIMIT; ) {
      const chunk = Buffer.alloc(4096);
      const size = readSync(tty, chunk, 0, chunk.length, null);
      if (size === 0) break;
      chunks.push(chunk.subarray(0, size));
      total += size;
    }
  } catch {
    // EAGAIN: the buffer is empty.
  } finally {
    closeSync(tty);
  }
  return Buffer.concat(chunks).toString();
}

/** The maximum number of bytes to read, so that endless input cannot block the process. */
const LIMIT = 1_000_000;

function reopenTTY(fd: number): number | undefined {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  for (const path of [`/proc/self/fd/${fd}`, "/dev/tty"])
    try {
      return openSync(path, flags);
    } catch {
      // The path does not exist on this system, or access is denied.
    }
  return undefined;
}

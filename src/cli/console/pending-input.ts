import { closeSync, constants, openSync, readSync } from "node:fs";

/** Standard input as questions use it. */
export type ConsoleInput = NodeJS.ReadStream & { readonly fd: number };

/**
 * Takes everything typed so far: the bytes that Node has buffered and those the kernel still holds. In raw mode this
 * includes a line without an end. Returns at once.
 */
export function takePendingInput(input: ConsoleInput): string {
  const buffered = input.readableLength > 0 ? String(input.read() ?? "") : "";
  return input.isTTY ? `${buffered}${readKernelBuffer(input.fd)}` : buffered;
}

/** Opens the terminal a second time, because a non-blocking read must not change the descriptor others share. */
function readKernelBuffer(fd: number): string {
  const terminal = openTerminalAgain(fd);
  if (terminal === undefined) return "";
  const chunks: Buffer[] = [];
  try {
    for (let total = 0; total < LIMIT; ) {
      const chunk = Buffer.alloc(4096);
      const size = readSync(terminal, chunk, 0, chunk.length, null);
      if (size === 0) break;
      chunks.push(chunk.subarray(0, size));
      total += size;
    }
  } catch {
    // EAGAIN: nothing more is typed
  } finally {
    closeSync(terminal);
  }
  return Buffer.concat(chunks).toString();
}

/** A terminal that sends without pause must not block the process. */
const LIMIT = 1_000_000;

function openTerminalAgain(fd: number): number | undefined {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  for (const path of [`/proc/self/fd/${fd}`, "/dev/tty"])
    try {
      return openSync(path, flags);
    } catch {
      // not on this system, or not permitted
    }
  return undefined;
}

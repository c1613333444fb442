import { fstatSync, readSync, watch } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { HalyardError } from "../../core/error.ts";
import type { Chunk } from "../../core/host.ts";

export interface TailOptions {
  readonly from: number;
  /** Nothing is added from here on that need be waited for. */
  readonly ended: AbortSignal;
  /** Each of them ends the reading at once. */
  readonly signals: readonly AbortSignal[];
}

/**
 * What is in a growing file from that byte on, as it grows; ends when it no longer does and all is read.
 * Waiting for more keeps our process running.
 */
export async function* tail(path: string, options: TailOptions): AsyncGenerator<Chunk> {
  const { from, ended, signals } = options;
  const isLeft = () => signals.some((signal) => signal.aborted);
  if (isLeft()) return;
  const bell = createBell(path, [ended, ...signals]);
  try {
    await using file = await openRecording(path);
    for (let position = from; !isLeft(); ) {
      // In this order: what was written before the end is in the size taken after it.
      const isComplete = ended.aborted;
      const available = fstatSync(file.fd).size - position;
      if (available > 0) {
        const bytes = await read(file, position, Math.min(available, CHUNK_BYTES));
        position += bytes.length;
        if (!isLeft()) yield { bytes, end: position };
      } else if (isComplete) {
        return;
      } else {
        await bell.rings();
      }
    }
  } finally {
    bell.close();
  }
}

async function openRecording(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (cause) {
    throw new HalyardError("lost", `The recording ${path} cannot be read.`, { cause });
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** Up to here, bytes just written are copied from memory faster than another thread is asked for them. */
const SMALL_BYTES = 64 * 1024;

/** A buffer of its own for each chunk: whoever reads may keep it. */
async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  const bytesRead =
    length <= SMALL_BYTES
      ? readSync(file.fd, bytes, 0, length, position)
      : (await file.read(bytes, 0, length, position)).bytesRead;
  return bytes.subarray(0, bytesRead);
}

interface Bell {
  /** Resolves at the next change, and now and then without one. */
  rings(): Promise<void>;
  close(): void;
}

/** Rings when the file changes or a signal is given. */
function createBell(path: string, signals: readonly AbortSignal[]): Bell {
  let ring = (): void => {};
  const onChange = (): void => ring();
  const watcher = tryWatch(path, onChange);
  for (const signal of signals) signal.addEventListener("abort", onChange);
  return {
    rings: () =>
      new Promise((resolve) => {
        const timer = setTimeout(onChange, watcher ? SAFETY_POLL_MS : BLIND_POLL_MS);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    close() {
      watcher?.close();
      for (const signal of signals) signal.removeEventListener("abort", onChange);
    },
  };
}

/** Some file systems report no changes. */
const SAFETY_POLL_MS = 250;

/** For where the kernel has no watches left to give. */
const BLIND_POLL_MS = 10;

function tryWatch(path: string, onChange: () => void) {
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    return watcher.on("error", onChange); // the poll goes on
  } catch {
    return undefined;
  }
}

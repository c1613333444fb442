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
 * Whoever reads it keeps our process running.
 */
export async function* tail(path: string, options: TailOptions): AsyncGenerator<Chunk> {
  const { from, ended, signals } = options;
  if (signals.some(({ aborted }) => aborted)) return;
  const bell = createBell(path, options);
  try {
    await using file = await openRecording(path);
    for (let position = from; !bell.isLeft; ) {
      // In this order: what was written before the end is read after it.
      const isComplete = ended.aborted;
      const bytes = readRest(file, position) ?? (await readChunk(file, position));
      position += bytes.length;
      if (bytes.length > 0 && !bell.isLeft) yield { bytes, end: position };
      if (bytes.length >= SPARE_BYTES) continue;
      if (isComplete) return;
      await bell.rings();
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

/** More than a program writes at once while somebody reads along. */
const SPARE_BYTES = 16 * 1024;
/** For all readers: what one of them reads is copied out before anybody else can read. */
const spare = Buffer.allocUnsafeSlow(SPARE_BYTES);

/** All that is left, with a single call to the system; undefined where it is more than the spare memory holds. */
function readRest(file: FileHandle, position: number): Buffer | undefined {
  const length = readSync(file.fd, spare, 0, SPARE_BYTES, position);
  return length < SPARE_BYTES ? copyOf(spare, length) : undefined;
}

/** Small ones share a piece of Node's memory, which costs less than one of their own. */
function copyOf(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafe(length);
  bytes.copy(copy, 0, 0, length);
  return copy;
}

const CHUNK_BYTES = 1024 * 1024;

/** Up to here, bytes just written are copied from memory faster than another thread is asked for them. */
const SMALL_BYTES = 64 * 1024;

/** A buffer of its own for each chunk: whoever reads may keep it. */
async function readChunk(file: FileHandle, position: number): Promise<Buffer> {
  const length = Math.min(fstatSync(file.fd).size - position, CHUNK_BYTES);
  const bytes = Buffer.allocUnsafeSlow(length);
  const bytesRead =
    length <= SMALL_BYTES
      ? readSync(file.fd, bytes, 0, length, position)
      : (await file.read(bytes, 0, length, position)).bytesRead;
  return bytes.subarray(0, bytesRead);
}

interface Bell {
  /** Whether one of the signals to leave was given; for every line that is read, and so not asked of them. */
  readonly isLeft: boolean;
  /** Resolves once it has rung since the last time: at a change, and now and then without one. */
  rings(): Promise<void>;
  close(): void;
}

/** Rings when the file changes or a signal is given. */
function createBell(path: string, { ended, signals }: TailOptions): Bell {
  let hasRung = false;
  let isLeft = false;
  let wake = (): void => {};
  const ring = (): void => {
    hasRung = true;
    wake();
  };
  const watcher = tryWatch(path, ring);
  const poll = setInterval(ring, watcher ? SAFETY_POLL_MS : BLIND_POLL_MS);
  const leave = (): void => {
    isLeft = true;
    ring();
  };
  ended.addEventListener("abort", ring);
  for (const signal of signals) signal.addEventListener("abort", leave);
  return {
    get isLeft() {
      return isLeft;
    },
    async rings() {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      hasRung = false;
    },
    close() {
      watcher?.close();
      clearInterval(poll);
      ended.removeEventListener("abort", ring);
      for (const signal of signals) signal.removeEventListener("abort", leave);
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

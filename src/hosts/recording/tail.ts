import { fstatSync, readSync, watch } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Chunk } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";

export interface TailOptions {
  readonly from: number;
  /** Aborted when the program has exited and the file no longer grows. */
  readonly ended: AbortSignal;
  /** Aborting any of these signals stops reading immediately. */
  readonly signals: readonly AbortSignal[];
}

/**
 * Yields the bytes of a growing file starting at an offset. Ends when the file no longer grows and is read completely.
 * Keeps this process alive while it is read.
 */
export async function* tail(path: string, options: TailOptions): AsyncGenerator<Chunk> {
  const { from, ended, signals } = options;
  if (signals.some(({ aborted }) => aborted)) return;
  const change = createChangeSignal(path, options);
  try {
    await using file = await openRecording(path);
    for (let position = from; !change.isAborted; ) {
      // Check `ended` before reading, so that bytes written before the exit are read after it.
      const isComplete = ended.aborted;
      const bytes = readRest(file, position) ?? (await readChunk(file, position));
      position += bytes.length;
      if (bytes.length > 0) change.onBytes();
      if (bytes.length > 0 && !change.isAborted) yield { bytes, end: position };
      if (bytes.length >= SPARE_BYTES) continue;
      if (isComplete) return;
      await change.next();
    }
  } finally {
    change.close();
  }
}

async function openRecording(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (cause) {
    throw new HalyardError(
      "lost",
      `The recording ${path} cannot be read, so the output of the program is lost. Resume the session to continue.`,
      { cause },
    );
  }
}

/** The size of the shared buffer in bytes. Exceeds the amount that a program usually writes in one call. */
const SPARE_BYTES = 16 * 1024;
/** The buffer that all readers share. Bytes are copied out of it before another reader can run. */
const spare = Buffer.allocUnsafeSlow(SPARE_BYTES);

/** Reads the rest of the file with one system call. Returns undefined if it does not fit into the shared buffer. */
function readRest(file: FileHandle, position: number): Buffer | undefined {
  const length = readSync(file.fd, spare, 0, SPARE_BYTES, position);
  return length < SPARE_BYTES ? copyOf(spare, length) : undefined;
}

/** Copies into Node's buffer pool, which is cheaper than a separate allocation for small chunks. */
function copyOf(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafe(length);
  bytes.copy(copy, 0, 0, length);
  return copy;
}

const CHUNK_BYTES = 1024 * 1024;

/** The largest read, in bytes, that is faster synchronously than in the thread pool. */
const SMALL_BYTES = 64 * 1024;

/** Reads into a new buffer, which the reader may keep. */
async function readChunk(file: FileHandle, position: number): Promise<Buffer> {
  const length = Math.min(fstatSync(file.fd).size - position, CHUNK_BYTES);
  const bytes = Buffer.allocUnsafeSlow(length);
  const bytesRead =
    length <= SMALL_BYTES
      ? readSync(file.fd, bytes, 0, length, position)
      : (await file.read(bytes, 0, length, position)).bytesRead;
  return bytes.subarray(0, bytesRead);
}

interface ChangeSignal {
  /** True if one of the signals was aborted. Cached, because it is checked for every chunk. */
  readonly isAborted: boolean;
  /** Must be called after new bytes were read from the file. */
  onBytes(): void;
  /** Resolves when the file has changed since the last call, a signal was aborted, or the poll interval has passed. */
  next(): Promise<void>;
  close(): void;
}

/** Wakes the reader when the file changes or a signal is aborted. */
function createChangeSignal(path: string, { ended, signals }: TailOptions): ChangeSignal {
  let hasChanged = false;
  let isAborted = false;
  let wake = (): void => {};
  const notify = (): void => {
    hasChanged = true;
    wake();
  };
  let lastWake: "watcher" | "poll" | undefined;
  let isReliable = false;
  let isIdle = false;
  const watcher = tryWatch(path, () => {
    lastWake = "watcher";
    isReliable = true;
    notify();
  });
  const shortestMs = watcher ? SAFETY_POLL_MS : BLIND_POLL_MS;
  let pauseMs = shortestMs;
  let poll = setTimeout(look, pauseMs);
  function look(): void {
    // Poll rarely if the watcher of an idle file is known to work, so that many idle sessions use little CPU.
    pauseMs = isReliable && isIdle ? Math.min(pauseMs * 2, IDLE_POLL_MS) : shortestMs;
    poll = setTimeout(look, pauseMs);
    isIdle = true;
    lastWake = "poll";
    notify();
  }
  const abort = (): void => {
    isAborted = true;
    notify();
  };
  ended.addEventListener("abort", notify);
  for (const signal of signals) signal.addEventListener("abort", abort);
  return {
    get isAborted() {
      return isAborted;
    },
    onBytes() {
      isIdle = false;
      if (pauseMs > shortestMs) {
        // The watcher loses changes if the kernel's queue overflows, so a busy file is polled often again.
        clearTimeout(poll);
        pauseMs = shortestMs;
        poll = setTimeout(look, pauseMs);
      }
      if (lastWake === "poll") isReliable = false; // only the poll found the new bytes, so the watcher is not reliable
      lastWake = undefined;
    },
    async next() {
      if (!hasChanged) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      hasChanged = false;
    },
    close() {
      watcher?.close();
      clearTimeout(poll);
      ended.removeEventListener("abort", notify);
      for (const signal of signals) signal.removeEventListener("abort", abort);
    },
  };
}

/** The poll interval in milliseconds. Needed in addition to the watcher, because some file systems report no changes. */
const SAFETY_POLL_MS = 250;

/** The longest poll interval, in milliseconds, for a file that does not grow and whose watcher has reported changes. */
const IDLE_POLL_MS = 16_000;

/** The poll interval in milliseconds if no watcher can be created. */
const BLIND_POLL_MS = 10;

function tryWatch(path: string, onChange: () => void) {
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    return watcher.on("error", onChange); // an error also triggers a check, and polling continues
  } catch {
    return undefined;
  }
}

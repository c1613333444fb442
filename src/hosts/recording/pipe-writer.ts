import { close, closeSync, write } from "node:fs";
import { Socket } from "node:net";
import { Writable } from "node:stream";

/** Writes to a pipe without blocking and without keeping this process alive. */
export type PipeWriter = Pick<Writable, "write" | "destroy" | "on">;

/** Creates a writer for a pipe's non-blocking file descriptor. Destroying the writer closes the descriptor. */
export function openPipeWriter(fd: number): PipeWriter {
  try {
    return new Socket({ fd, readable: false, writable: true }).unref();
  } catch (error) {
    if (isUnsupported(error)) return new Writable(byPolling(fd));
    closeSync(fd);
    throw error;
  }
}

/** True if Deno rejects the pipe, because its sockets support only connections and terminals. */
function isUnsupported(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

/** Writes with plain system calls, and retries after a delay if the pipe is full. */
function byPolling(fd: number): ConstructorParameters<typeof Writable>[0] {
  const put = (bytes: Buffer, done: (error?: Error | null) => void): void =>
    write(fd, bytes, 0, bytes.length, null, (error, written) => {
      if (error?.code === "EAGAIN") setTimeout(put, RETRY_MS, bytes, done).unref();
      else if (error || written === bytes.length) done(error);
      else put(bytes.subarray(written), done);
    });
  return {
    write: (bytes: Buffer, _encoding, done) => put(bytes, done),
    destroy: (error, done) => close(fd, (failure) => done(error ?? failure)),
  };
}

const RETRY_MS = 10;

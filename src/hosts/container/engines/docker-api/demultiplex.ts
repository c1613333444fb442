import { PassThrough, type Readable } from "node:stream";

/**
 * Splits a connection into standard output and standard error. Each frame has an eight-byte header with its stream and
 * length.
 */
export interface Demultiplexer {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Processes bytes from the connection. Returns false if the caller must wait for `onRoom`. */
  take(bytes: Buffer): boolean;
  end(): void;
}

export function createDemultiplexer(onRoom: () => void): Demultiplexer {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  for (const stream of [stdout, stderr]) stream.on("drain", onRoom);
  let rest: Buffer = Buffer.alloc(0);
  let left = 0;
  let current = stdout;
  return {
    stdout,
    stderr,
    take(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      let hasRoom = true;
      while (rest.length > 0) {
        if (left === 0) {
          if (rest.length < HEADER_BYTES) break;
          current = rest[0] === STDERR ? stderr : stdout;
          left = rest.readUInt32BE(4);
          rest = rest.subarray(HEADER_BYTES);
          continue;
        }
        const part = rest.subarray(0, left);
        hasRoom = current.write(part) && hasRoom;
        left -= part.length;
        rest = rest.subarray(part.length);
      }
      return hasRoom;
    },
    end() {
      stdout.end();
      stderr.end();
    },
  };
}

const HEADER_BYTES = 8;
const STDERR = 2;

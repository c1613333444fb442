import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Returns the first line of a stream. Returns undefined if the stream ends without one. */
export async function firstLine(stream: Readable): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) {
    stream.resume(); // discards the rest of the output
    return line;
  }
  return undefined;
}

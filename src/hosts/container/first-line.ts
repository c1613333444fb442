import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The first line that comes, or undefined where none does. */
export async function firstLine(stream: Readable): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) {
    stream.resume(); // whatever still comes is nobody's
    return line;
  }
  return undefined;
}

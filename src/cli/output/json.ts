import type { EventOutput } from "./event-output.ts";
import type { Sink } from "./sink.ts";

/** One event per line, as it is in the log, and nothing else. */
export function jsonOutput(out: Sink): EventOutput {
  return {
    write: (event) => out.write(`${JSON.stringify(event)}\n`),
    close() {},
  };
}

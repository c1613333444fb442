import { closeSync, openSync, writeSync } from "node:fs";
import { toJsonLine } from "../wire/ndjson.ts";
import { HalyardError, reasonOf } from "./error.ts";
import type { Redactor } from "./redaction.ts";

/** A runtime's own messages on file, as they come: what is written is there whatever becomes of us. */
export interface Recording {
  readonly hear: (message: unknown) => void;
  close(): void;
}

/**
 * Adds to the file where there is one, so that a resumed session's recording goes on. What can no longer be written is
 * told of, once: it is no reason for the session to end.
 */
export function openRecording(
  path: string,
  redactor: Redactor,
  onProblem: (problem: string) => void,
): Recording {
  const file = open(path);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    hear(message) {
      if (!isOpen) return;
      try {
        writeSync(file, toJsonLine(redactor.redact(message)));
      } catch (error) {
        close();
        onProblem(`the recording ${path} ends here: ${reasonOf(error)}`);
      }
    },
    close,
  };
}

function open(path: string): number {
  try {
    return openSync(path, "a", 0o600);
  } catch (cause) {
    throw new HalyardError("invalid_input", `the recording ${path} cannot be written`, { cause });
  }
}

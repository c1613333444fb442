import { closeSync, openSync, realpathSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { toJsonLine } from "../wire/ndjson.ts";
import { HalyardError, reasonOf } from "./error.ts";
import { isWithin } from "./path-policy.ts";
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

/**
 * Rejects a recording in the working directory of an agent in a container, who could put a link to another file of this
 * machine in its place before the session is resumed.
 */
export function requireOutOfReach(path: string, cwd: string): void {
  const [directory, workspace] = [dirname(resolve(path)), cwd].map(realpathOf);
  if (!isWithin(directory ?? "", workspace ?? "")) return;
  throw new HalyardError(
    "invalid_input",
    `record: the agent in the container could replace ${path}. Name a file outside of its working directory ${cwd}.`,
  );
}

/** The path itself if it does not exist. */
function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function open(path: string): number {
  try {
    return openSync(path, "a", 0o600);
  } catch (cause) {
    throw new HalyardError("invalid_input", `the recording ${path} cannot be written`, { cause });
  }
}

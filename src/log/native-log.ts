import { closeSync, openSync, realpathSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { SessionRequest } from "../contracts/session-request.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { sentence } from "../errors/sentence.ts";
import { isWithin } from "../files/is-within.ts";
import { toJsonLine } from "../wire/ndjson.ts";
import type { Redactor } from "./redaction/redaction.ts";

/**
 * A file with the native messages of a runtime. Each message is written immediately, so that none is lost if this
 * process dies.
 */
export interface NativeLog {
  readonly onNativeMessage: (message: unknown) => void;
  close(): void;
}

/**
 * Opens the native log of a session. Returns undefined if the session has none. Throws `invalid_input` if the log of a
 * new session cannot be opened. If a resumed session cannot open its earlier log, reports a warning and returns
 * undefined, because the user did not name the log in this request.
 */
export function openRequestedLog(
  { record, host, cwd }: Pick<SessionRequest, "record" | "host" | "cwd">,
  redactor: Redactor,
  options: { readonly warn: (problem: string) => void; readonly isContinued: boolean },
): NativeLog | undefined {
  if (record === undefined) return undefined;
  const { warn, isContinued } = options;
  try {
    if (host === "container") requireOutOfReach(record, cwd);
    return openNativeLog(record, redactor, warn);
  } catch (error) {
    if (!isContinued) throw error;
    warn(`The native log is not continued: ${reasonOf(error)}`);
    return undefined;
  }
}

/**
 * Opens a native log. Appends to an existing file, so that the log of a resumed session continues. If a write fails,
 * the log is closed and `onProblem` is called once; the session continues.
 */
function openNativeLog(
  path: string,
  redactor: Redactor,
  onProblem: (problem: string) => void,
): NativeLog {
  const file = open(path);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    onNativeMessage(message) {
      if (!isOpen) return;
      try {
        writeSync(file, toJsonLine(redactor.redact(message)));
      } catch (error) {
        close();
        onProblem(`The native log ${path} was closed because a write failed: ${reasonOf(error)}`);
      }
    },
    close,
  };
}

/** Creates the native log if it does not exist. Throws `invalid_input` if it cannot be opened for writing. */
export function requireWritableLog(path: string): void {
  closeSync(open(path));
}

/**
 * Throws `invalid_input` if a native log is in the working directory of an agent in a container. Before the session is
 * resumed, the agent could replace the file with a link to another file on this machine.
 */
export function requireOutOfReach(path: string, cwd: string): void {
  const [directory, workspace] = [dirname(resolve(path)), cwd].map(realpathOf);
  if (!isWithin(directory ?? "", workspace ?? "")) return;
  throw new HalyardError(
    "invalid_input",
    `record: the agent in the container could replace ${path}. Choose a file outside its working directory ${cwd}.`,
  );
}

/** Resolves links in a path. Returns the path itself if it does not exist. */
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
    throw new HalyardError(
      "invalid_input",
      `The native log ${path} cannot be written: ${sentence(reasonOf(cause))} Choose a path that you can write to.`,
      { cause },
    );
  }
}

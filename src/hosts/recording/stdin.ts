import { constants, openSync } from "node:fs";
import { HalyardError } from "../../errors/error.ts";
import { openPipeWriter, type PipeWriter } from "./pipe-writer.ts";

/** The writing end of a program's standard input. */
export interface Stdin {
  /** Resolves when the whole text is in the pipe. Concurrent writes are sent in order. */
  write(text: string): Promise<void>;
  /** Rejects pending and later writes with this reason. */
  close(reason: string): void;
}

/**
 * Creates the writing end. The FIFO is opened at the first write. Writes are non-blocking: if the program does not
 * read, a write stays pending and does not keep this process alive.
 */
export function createStdin(path: string): Stdin {
  let pipe: PipeWriter | undefined;
  let closedBecause: string | undefined;

  function openPipe(): PipeWriter {
    const opened = openPipeWriter(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    opened.on("error", () => {}); // ignored here, because each write reports the error
    opened.on("close", () => {
      if (pipe === opened) pipe = undefined;
    });
    return opened;
  }

  function failure(cause: unknown): HalyardError {
    const reason = closedBecause ?? "the program no longer reads its standard input";
    const message = `The message was not delivered: ${reason}. Start or resume the session, and try again.`;
    return new HalyardError("delivery_failed", message, { cause });
  }

  return {
    write(text) {
      return new Promise((resolve, reject) => {
        if (closedBecause !== undefined) return reject(failure(undefined));
        try {
          pipe ??= openPipe();
        } catch (error) {
          return reject(failure(error));
        }
        pipe.write(text, (error) => (error ? reject(failure(error)) : resolve()));
      });
    },
    close(reason) {
      closedBecause ??= reason;
      pipe?.destroy();
    },
  };
}

import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { HalyardError } from "../../core/error.ts";

/** The writing end of a program's standard input. */
export interface Stdin {
  /** Resolves once all of it is in the pipe; what is written meanwhile comes after it. */
  write(text: string): Promise<void>;
  /** Fails what is under way and everything later, for this reason. */
  close(reason: string): void;
}

/**
 * Opened at the first write. Never waits in a system call: a socket asks the kernel to be told when there is
 * room again, so that a program that does not read costs nothing, not even the end of our process.
 */
export function createStdin(path: string): Stdin {
  let pipe: Socket | undefined;
  let closedBecause: string | undefined;

  function openPipe(): Socket {
    const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const opened = toSocket(fd);
    opened.unref();
    opened.on("error", () => {}); // each write hears of it
    opened.on("close", () => {
      if (pipe === opened) pipe = undefined;
    });
    return opened;
  }

  function failure(cause: unknown): HalyardError {
    const reason = closedBecause ?? "the program does not read its standard input any more";
    return new HalyardError("delivery_failed", `Nothing was delivered: ${reason}.`, { cause });
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

function toSocket(fd: number): Socket {
  try {
    return new Socket({ fd, readable: false, writable: true });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

import { setMaxListeners } from "node:events";
import { createDeferred } from "../../core/deferred.ts";
import type { Exit } from "../../core/host.ts";

/** Notices the end of a program. By itself it does not keep our own process from ending. */
export interface ExitWatch {
  readonly exit: Promise<Exit>;
  /** Aborted when the program has ended: the same as a flag with listeners. */
  readonly ended: AbortSignal;
  /** Keeps our process running until the program has ended, for somebody who waits for that. */
  hold(): void;
  /** Looks at once. */
  look(): void;
  /** Stops watching. */
  close(): void;
}

/** The end of a program, and the way to tell of it; the first to tell counts. */
export interface End extends Pick<ExitWatch, "exit" | "ended"> {
  settle(how: Exit): void;
}

export function createEnd(): End {
  const { promise: exit, resolve } = createDeferred<Exit>();
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const settle = (how: Exit): void => {
    resolve(how);
    controller.abort();
  };
  return { exit, ended: controller.signal, settle };
}

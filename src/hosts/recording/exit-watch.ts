import { setMaxListeners } from "node:events";
import { createDeferred } from "../../async/deferred.ts";
import type { Exit } from "../../contracts/host.ts";

/** Detects a program's exit. Does not keep this process alive on its own. */
export interface ExitWatch {
  readonly exit: Promise<Exit>;
  /** Aborted when the program has exited. */
  readonly ended: AbortSignal;
  /** Keeps this process alive until the program has exited. */
  hold(): void;
  /** Checks immediately whether the program has exited. */
  check(): void;
  /** Stops watching. */
  close(): void;
}

/** A program's exit and the function that settles it. Only the first call has an effect. */
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

import type { ChildProcess } from "node:child_process";
import { setMaxListeners } from "node:events";
import { createDeferred } from "../../core/deferred.ts";
import type { Exit, ProcessIdentity } from "../../core/host.ts";
import { isRunning, isSameProcess } from "./process-identity.ts";

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

/** Of a program that we started in this process. */
export function watchChild(child: ChildProcess): ExitWatch {
  const end = createEnd();
  child.once("exit", (code, signal) => {
    end.settle({ ...(code !== null && { code }), ...(signal !== null && { signal }) });
  });
  child.unref();
  return {
    ...end,
    hold: () => child.ref(),
    look() {},
    close: () => child.unref(),
  };
}

/** Of a program that another process started: the kernel tells only its parent, so we look. */
export function watchStranger(identity: ProcessIdentity): ExitWatch {
  const end = createEnd();
  const isOver = isSameProcess(identity) === "dead";
  const timer = isOver ? undefined : setInterval(look, LOOK_EVERY_MS).unref();
  if (isOver) end.settle({});

  function look(): void {
    if (isRunning(identity) !== "dead") return;
    clearInterval(timer);
    end.settle({});
  }
  return {
    ...end,
    hold: () => timer?.ref(),
    look,
    close: () => clearInterval(timer),
  };
}

const LOOK_EVERY_MS = 150;

function createEnd() {
  const { promise: exit, resolve } = createDeferred<Exit>();
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const settle = (how: Exit): void => {
    resolve(how);
    controller.abort();
  };
  return { exit, ended: controller.signal, settle };
}

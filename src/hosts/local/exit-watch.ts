import type { ChildProcess } from "node:child_process";
import type { ProcessIdentity } from "../../contracts/host.ts";
import { createEnd, type ExitWatch } from "../recording/exit-watch.ts";
import { isRunning, isSameProcess } from "./process-identity.ts";

/** Watches a program that this process started. */
export function watchChild(child: ChildProcess): ExitWatch {
  const end = createEnd();
  child.once("exit", (code, signal) => {
    end.settle({ ...(code !== null && { code }), ...(signal !== null && { signal }) });
  });
  child.unref();
  return {
    ...end,
    hold: () => child.ref(),
    check() {},
    close: () => child.unref(),
  };
}

/**
 * Watches a program that another process started. The kernel reports the exit of a process only to its parent, so this
 * polls.
 */
export function watchForeignProcess(identity: ProcessIdentity): ExitWatch {
  const end = createEnd();
  const isOver = isSameProcess(identity) === "dead";
  const timer = isOver ? undefined : setInterval(check, POLL_MS).unref();
  if (isOver) end.settle({});

  function check(): void {
    if (isRunning(identity) !== "dead") return;
    clearInterval(timer);
    end.settle({});
  }
  return {
    ...end,
    hold: () => timer?.ref(),
    check,
    close: () => clearInterval(timer),
  };
}

const POLL_MS = 150;

import type { ChildProcess } from "node:child_process";
import type { ProcessIdentity } from "../../contracts/host.ts";
import { createEnd, type ExitWatch } from "../recording/exit-watch.ts";
import { hasProcess, healthInThisBoot, healthOfProcess } from "./process-identity.ts";

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
 * function polls: often after the program was started or written to, and rarely later, because a daemon may watch a
 * thousand idle programs.
 */
export function watchForeignProcess(identity: ProcessIdentity): ExitWatch {
  const end = createEnd();
  const isOver = healthOfProcess(identity) === "dead";
  let isHeld = false;
  let isClosed = false;
  let polls = 0;
  let timer: NodeJS.Timeout | undefined;
  if (isOver) end.settle({});
  else schedule();

  function schedule(): void {
    timer = setTimeout(poll, polls < FREQUENT_POLLS ? POLL_MS : IDLE_POLL_MS);
    if (!isHeld) timer.unref();
  }

  function poll(): void {
    polls++;
    // Sending signal 0 is much cheaper than reading the process table, but it does not detect a zombie or a reused pid.
    const isExact = polls < FREQUENT_POLLS || polls % EXACT_EVERY === 0;
    const isDead = isExact ? healthInThisBoot(identity) === "dead" : !hasProcess(identity.pid);
    if (isDead) end.settle({});
    else if (!isClosed) schedule();
  }

  return {
    ...end,
    hold() {
      isHeld = true;
      timer?.ref();
    },
    check() {
      if (end.ended.aborted) return;
      clearTimeout(timer);
      polls = 0;
      poll();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const POLL_MS = 150;
/** The number of polls at the short interval. */
const FREQUENT_POLLS = 40;
const IDLE_POLL_MS = 1_000;
/** The number of rare polls for each read of the process table. */
const EXACT_EVERY = 5;

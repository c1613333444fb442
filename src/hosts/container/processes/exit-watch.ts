import type { InteractiveExec } from "../../../contracts/container-engine.ts";
import type { Exit, Health } from "../../../contracts/host.ts";
import { createEnd, type ExitWatch } from "../../recording/exit-watch.ts";
import { toExit } from "./program.ts";

/** A program whose state can be read without the connection that started it. */
export interface Watched {
  health(): Promise<Health>;
  /** Adds the reason for an exit, if it can be determined. */
  explain(exit: Exit): Promise<Exit>;
}

/** Watches a program that this process started. The engine closes the connection when the program exits. */
export function watchExec(exec: InteractiveExec, watched: Watched): ExitWatch {
  const end = createEnd();
  let fallback: ExitWatch | undefined;
  let isHeld = false;
  exec.unref();
  exec.exited.then(
    async (code) => {
      const exit = toExit(code);
      const isKilled = code === undefined || exit.signal === "SIGKILL";
      end.settle(isKilled ? await watched.explain(exit) : exit);
    },
    () => {
      // The engine does not respond. Its programs may still be running.
      fallback = watchHealth(watched);
      if (isHeld) fallback.hold();
      void fallback.exit.then(end.settle);
    },
  );
  return {
    ...end,
    hold() {
      isHeld = true;
      exec.hold();
      fallback?.hold();
    },
    check: () => fallback?.check(),
    close() {
      isHeld = false;
      exec.close();
      fallback?.close();
    },
  };
}

/** Watches a program by polling. Used after an attach and in an existing container, because no connection reports the exit. */
export function watchHealth(watched: Watched): ExitWatch {
  const end = createEnd();
  let isOpen = true;
  let isHeld = false;
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  async function check(): Promise<void> {
    clearTimeout(timer);
    if ((await watched.health()) === "dead") end.settle(await watched.explain({}));
    else if (isOpen) schedule();
  }
  function schedule(): void {
    timer = setTimeout(checkOnce, POLL_MS);
    if (!isHeld) timer.unref();
  }
  function checkOnce(): void {
    if (end.ended.aborted || !isOpen || isChecking) return;
    isChecking = true;
    void check().finally(() => {
      isChecking = false;
    });
  }
  checkOnce();
  return {
    ...end,
    hold() {
      isHeld = true;
      timer?.ref();
    },
    check: checkOnce,
    close() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}

const POLL_MS = 250;

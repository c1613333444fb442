import type { InteractiveExec } from "../../containers/container-runtime.ts";
import type { Exit, Health } from "../../core/host.ts";
import { createEnd, type ExitWatch } from "../recording/exit-watch.ts";
import { toExit } from "./program.ts";

/** What is known of a program beside its connection. */
export interface Watched {
  health(): Promise<Health>;
  /** Adds the reason of an end, if it can be determined. */
  explain(exit: Exit): Promise<Exit>;
}

/** Of a program that we started in this process: the engine hangs up when it ends. */
export function watchExec(exec: InteractiveExec, watched: Watched): ExitWatch {
  const end = createEnd();
  let fallback: ExitWatch | undefined;
  let isHeld = false;
  exec.letGo();
  exec.exited.then(
    async (code) => {
      const exit = toExit(code);
      const isKilled = code === undefined || exit.signal === "SIGKILL";
      end.settle(isKilled ? await watched.explain(exit) : exit);
    },
    () => {
      // The engine itself is gone, which its programs may survive.
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
    look: () => fallback?.look(),
    close() {
      isHeld = false;
      exec.close();
      fallback?.close();
    },
  };
}

/** Of a program that another process started: nobody tells us of its end, so we look. */
export function watchHealth(watched: Watched): ExitWatch {
  const end = createEnd();
  let isOpen = true;
  let isHeld = false;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  async function look(): Promise<void> {
    clearTimeout(timer);
    if ((await watched.health()) === "dead") end.settle(await watched.explain({}));
    else if (isOpen) schedule();
  }
  function schedule(): void {
    timer = setTimeout(lookOnce, LOOK_EVERY_MS);
    if (!isHeld) timer.unref();
  }
  function lookOnce(): void {
    if (end.ended.aborted || !isOpen || isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }
  lookOnce();
  return {
    ...end,
    hold() {
      isHeld = true;
      timer?.ref();
    },
    look: lookOnce,
    close() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}

const LOOK_EVERY_MS = 250;

import type { ChildProcess } from "node:child_process";
import type { ProcessIdentity } from "../../core/host.ts";
import { createEnd, type ExitWatch } from "../recording/exit-watch.ts";
import { isRunning, isSameProcess } from "./process-identity.ts";

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

import { setTimeout } from "node:timers/promises";
import { anySignal } from "../../async/any-signal.ts";
import { healthInThisBoot } from "./process-identity.ts";
import type { ProcessTree } from "./process-tree.ts";

/**
 * Sends SIGTERM. Waits until the program has `ended` and the processes that handle the signal have exited, or until
 * `insist` is aborted. Then kills the tree's remaining processes, and resolves when none is left. Has no time limit:
 * the caller must handle a process that the kernel cannot kill.
 */
export async function terminateTree(
  tree: ProcessTree,
  { insist, ended }: { insist: AbortSignal; ended: AbortSignal },
): Promise<void> {
  await tree.find(); // recorded now, because the signal may end the parents that connect the descendants to the tree
  const handlers = tree.requestTermination();
  const eitherSignal = anySignal([insist, ended]);
  for (const pauseMs of pauses()) {
    const isEnded = ended.aborted || !tree.rootIsAlive;
    const isHandling = handlers.some((entry) => healthInThisBoot(entry) === "alive");
    if (insist.aborted || (isEnded && !isHandling)) break;
    await pause(pauseMs, isEnded ? insist : eitherSignal);
  }
  for (const pauseMs of pauses()) {
    const left = await tree.find();
    if (left.length === 0) return;
    for (const entry of left) tree.kill(entry);
    await pause(pauseMs);
  }
}

function* pauses(): Generator<number> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) yield pauseMs;
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { ...(signal && { signal }) });
  } catch {
    // The signal was aborted, so stop waiting.
  }
}

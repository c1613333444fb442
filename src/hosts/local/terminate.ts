import { setTimeout } from "node:timers/promises";
import type { ProcessTree } from "./process-tree.ts";

/**
 * Asks the program to end, waits until it has `ended` or we `insist`, and kills what is left of the tree. Resolves
 * once nothing is left. A process that the kernel does not let die is waited for: the caller has the watchdog.
 */
export async function terminateTree(
  tree: ProcessTree,
  { insist, ended }: { insist: AbortSignal; ended: AbortSignal },
): Promise<void> {
  await tree.find(); // remembers whom a signal may soon deprive of the parent that proves them ours
  tree.ask();
  const enough = AbortSignal.any([insist, ended]);
  for (const pauseMs of pauses()) {
    if (enough.aborted || !tree.rootIsAlive) break;
    await pause(pauseMs, enough);
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
    // told not to wait any longer
  }
}

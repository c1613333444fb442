import type { AttachPoint, ConnectRequest } from "../contracts/adapter.ts";
import type { HostProcess } from "../contracts/host.ts";

/** The parts of a recording that the session's next owner may have to read. */
export interface OutputNeeds {
  readonly neededFrom?: ConnectRequest["neededFrom"] | undefined;
  readonly loggedUntil?: ConnectRequest["loggedUntil"] | undefined;
  readonly attach?: AttachPoint | undefined;
}

/**
 * Returns a function that releases the disk space of old recorded output. The caller calls the function after each
 * read.
 *
 * Output from before the running turn is never read again. The running turn's output restores the mapper's state after
 * a crash. If the turn is very long, only its beginning and its latest output are kept, so that the size of a recording
 * is bounded. From these parts, the mapper restores how the turn began and which messages and tools are open.
 */
export function createOutputRelease(
  release: HostProcess["release"],
  { neededFrom = () => 0, loggedUntil = () => 0, attach }: OutputNeeds,
): () => void {
  let releasedBefore = 0;
  let releasedInTurn = 0;
  let isPossible = release !== undefined;
  const free = (before: number, from: number): void => {
    release?.(before, { from }).catch(() => {
      isPossible = false; // not retried: the recording grows until the session ends
    });
  };
  return () => {
    if (!isPossible) return;
    const turnStart = Math.max(neededFrom(), attach?.turnCursor ?? 0);
    if (turnStart - releasedBefore >= STEP_BYTES) {
      free(turnStart, 0);
      releasedBefore = turnStart;
    }
    const from = Math.max(turnStart + TURN_HEAD_BYTES, releasedInTurn);
    const before = loggedUntil() - TURN_TAIL_BYTES;
    if (before - from < STEP_BYTES) return;
    free(before, from);
    releasedInTurn = before;
  };
}

/** The minimum number of bytes to release in one step. */
const STEP_BYTES = 4 * 1024 * 1024;
/** The number of bytes that are kept from the beginning of a running turn. */
const TURN_HEAD_BYTES = 1024 * 1024;
/** The number of bytes that are kept from the latest output of a running turn. Exceeds the longest line. */
const TURN_TAIL_BYTES = 68 * 1024 * 1024;

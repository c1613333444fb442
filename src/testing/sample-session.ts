import type { ProcessIdentity } from "../contracts/host.ts";
import type { Block, StoredEvent } from "../contracts/store.ts";
import { newSessionId } from "../errors/require-id.ts";
import type { SessionInfo } from "../schema/session.ts";

/** Returns the info of an idle session with a new id. */
export function sampleSession(changes: Partial<SessionInfo> = {}): SessionInfo {
  return {
    id: newSessionId(),
    runtime: "pi",
    host: "local",
    cwd: "/project",
    state: "idle",
    labels: {},
    depth: 0,
    permissions: "ask",
    plan: false,
    resumable: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    lastSeq: 0,
    turns: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    queue: [],
    openRequests: [],
    ...changes,
  };
}

/** Returns the identity of a process with this pid. */
export function sampleProcess(pid: number): ProcessIdentity {
  return { pid, startTime: String(1000 + pid), bootId: "boot" };
}

/** Returns a delta of the message `m1`. */
export function sampleDelta(text: string): StoredEvent {
  return { type: "delta", channel: "text", messageId: "m1", text };
}

/** Returns a block that appends these events to a session's log. */
export function sampleBlock(
  info: SessionInfo,
  events: readonly StoredEvent[],
  changes: Partial<Block> = {},
): Block {
  const { at = "2026-01-01T00:00:01.000Z" } = changes;
  return {
    firstSeq: info.lastSeq + 1,
    at,
    events,
    info: { ...info, updatedAt: at, lastSeq: info.lastSeq + events.length },
    ...changes,
  };
}

import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";

/**
 * Returns the id of a session's topmost ancestor, or of the first ancestor that is not in `others`, such as a removed
 * session. Returns the session's own id if it has no parent.
 */
export function rootOf(session: SessionInfo, others: readonly SessionInfo[]): SessionId {
  const byId = new Map(others.map((other) => [other.id, other]));
  let root = session;
  while (root.parent !== undefined) {
    const above = byId.get(root.parent);
    if (above === undefined) return root.parent;
    root = above;
  }
  return root.id;
}

/** Returns the descendants of a session among `others`. */
export function descendantsOf(id: SessionId, others: readonly SessionInfo[]): SessionInfo[] {
  const children = new Map<SessionId | undefined, SessionInfo[]>();
  for (const other of others)
    children.set(other.parent, [...(children.get(other.parent) ?? []), other]);
  const below = (parent: SessionId): SessionInfo[] =>
    (children.get(parent) ?? []).flatMap((child) => [child, ...below(child.id)]);
  return below(id);
}

/** Returns the total cost of sessions in USD. Includes only cost that runtimes report. */
export function costOf(sessions: readonly SessionInfo[]): number {
  return sessions.reduce((sum, { usage }) => sum + (usage.costUsd ?? 0), 0);
}

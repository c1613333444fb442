import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";

/** The first session above this one, as far as they are on record. */
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

/** All that stand below a session, at whatever depth. */
export function descendantsOf(id: SessionId, others: readonly SessionInfo[]): SessionInfo[] {
  const children = new Map<SessionId | undefined, SessionInfo[]>();
  for (const other of others)
    children.set(other.parent, [...(children.get(other.parent) ?? []), other]);
  const below = (parent: SessionId): SessionInfo[] =>
    (children.get(parent) ?? []).flatMap((child) => [child, ...below(child.id)]);
  return below(id);
}

/** What sessions have cost together, as far as their runtimes tell. */
export function costOf(sessions: readonly SessionInfo[]): number {
  return sessions.reduce((sum, { usage }) => sum + (usage.costUsd ?? 0), 0);
}

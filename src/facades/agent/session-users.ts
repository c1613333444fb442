import type { Halyard } from "../../core/halyard.ts";
import type { SessionId } from "../../schema/id.ts";

/**
 * Joins those who use a session of a Halyard, whichever runtime they came by. Returns how to leave them, which tells
 * whether nobody else is left.
 */
export function joinSession(halyard: Halyard, id: SessionId): () => boolean {
  const users = usersOn.get(halyard) ?? new Set<User>();
  usersOn.set(halyard, users);
  const user = { id };
  users.add(user);
  return () => {
    users.delete(user);
    return ![...users].some((other) => other.id === id);
  };
}

interface User {
  readonly id: SessionId;
}

const usersOn = new WeakMap<Halyard, Set<User>>();

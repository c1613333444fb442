import type { Halyard } from "../../contracts/halyard.ts";
import type { SessionId } from "../../schema/id.ts";

/**
 * Registers a user of a session. Returns a function that removes the user and returns true if no other user remains.
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

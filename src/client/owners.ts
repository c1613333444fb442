import { access } from "node:fs/promises";
import type { Halyard } from "../contracts/halyard.ts";
import type { Owners } from "../contracts/halyard-parts.ts";
import type { ProcessIdentity } from "../contracts/host.ts";

/**
 * Creates a component that connects to processes that own sessions. `socketOf` returns the path of a process's socket.
 * Caches one connection per process, and loads the client when the first connection is needed.
 */
export function createOwners(socketOf: (owner: ProcessIdentity) => string): Owners {
  const connections = new Map<string, Promise<Halyard | undefined>>();
  return {
    async reach(owner) {
      const path = socketOf(owner);
      const connection = connections.get(path) ?? connect(path);
      connections.set(path, connection);
      const halyard = await connection;
      if (halyard === undefined) connections.delete(path);
      return halyard;
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections.values())
        await (await connection)?.[Symbol.asyncDispose]();
      connections.clear();
    },
  };
}

async function connect(path: string): Promise<Halyard | undefined> {
  try {
    await access(path);
    const { connectHalyard } = await import("./index.ts");
    return await connectHalyard(path, { reconnectMs: RECONNECT_MS });
  } catch {
    return undefined; // the process has no socket or is exiting; the caller names the owner in its error
  }
}

/** How long to retry, in milliseconds. Short, because a process that owns sessions does not restart after its exit. */
const RECONNECT_MS = 500;

import { createHash } from "node:crypto";
import { connect, createServer, type Server } from "node:net";
import { HalyardError } from "../../errors/error.ts";
import { errno } from "./errno.ts";

/**
 * Runs an action while no other caller, in this or another process, holds the lock with this name. The lock is an
 * abstract socket, which the kernel releases when its owner dies.
 */
export async function withLock<T>(name: string, action: () => Promise<T>): Promise<T> {
  const path = `\0halyard-${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;
  const lock = await acquire(path);
  try {
    return await action();
  } finally {
    await new Promise((resolve) => lock.close(resolve));
  }
}

async function acquire(path: string): Promise<Server> {
  for (;;) {
    const lock = await listen(path);
    if (lock !== undefined) return lock;
    await released(path);
  }
}

/** Tries to acquire the lock. Returns undefined if another caller holds it. */
function listen(path: string): Promise<Server | undefined> {
  const waiting = new Set<{ destroy(): void }>();
  const server = createServer((socket) => waiting.add(socket.on("error", () => {})));
  const close = server.close.bind(server);
  server.close = (done) => {
    for (const socket of waiting) socket.destroy();
    return close(done);
  };
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      if (errno(cause) === "EADDRINUSE") resolve(undefined);
      else
        reject(
          new HalyardError(
            "unsupported",
            `Cannot create a lock: ${cause.message}. Locks are abstract sockets, which require Linux. Use --host local on other systems.`,
            { cause },
          ),
        );
    });
    server.listen(path, () => resolve(server));
  });
}

/** Resolves when the holder releases the lock and thereby closes the connection. */
function released(path: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("error", () => {}); // the connection fails if the lock is already free
    socket.once("close", () => resolve());
  });
}

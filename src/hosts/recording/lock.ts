import { createHash } from "node:crypto";
import { connect, createServer, type Server } from "node:net";
import { HalyardError } from "../../core/error.ts";
import { errno } from "./errno.ts";

/**
 * Does something while nobody else does, in this process or another, under the same name. It is a socket without a file
 * that the kernel takes back when its owner dies, so that nobody ever waits for the dead.
 */
export async function withLock<T>(name: string, action: () => Promise<T>): Promise<T> {
  const path = `\0halyard-${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;
  const lock = await take(path);
  try {
    return await action();
  } finally {
    await new Promise((resolve) => lock.close(resolve));
  }
}

async function take(path: string): Promise<Server> {
  for (;;) {
    const lock = await listen(path);
    if (lock !== undefined) return lock;
    await released(path);
  }
}

/** Undefined where somebody else listens. */
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
        reject(new HalyardError("unsupported", `no lock can be had: ${cause.message}`, { cause }));
    });
    server.listen(path, () => resolve(server));
  });
}

/** Whoever has the lock hangs up when it is given back. */
function released(path: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("error", () => {}); // it is free already
    socket.once("close", () => resolve());
  });
}

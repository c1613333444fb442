import type { Socket } from "node:net";
import type { Halyard } from "../contracts/halyard.ts";
import { createApp } from "./app.ts";
import { CLOSING_MS, createHttpServer } from "./listen.ts";
import { Streams } from "./streams/streams.ts";

/** Serves HTTP on connections that another server accepted, on a socket that only the user can open. */
export interface Acceptor {
  accept(socket: Socket): void;
  /** Closes idle connections. Running requests have 2 s to finish before their connections are destroyed. */
  close(): Promise<void>;
}

export interface AcceptorOptions {
  /** Called with unexpected errors, which responses do not contain. */
  readonly onFault: (error: unknown) => void;
}

export function createAcceptor(halyard: Halyard, { onFault }: AcceptorOptions): Acceptor {
  const streams = new Streams({ onFault });
  const guard = { token: undefined, hosts: [], origins: [] };
  const app = createApp({ halyard, streams, version: undefined, basePath: "", onFault }, guard);
  const access = { isPrivate: true, isExposed: false };
  const server = createHttpServer(app, access, { headersTimeoutMs: 10_000, streams });
  /** The open connections, each with the number of its running requests. */
  const running = new Map<Socket, number>();
  let isClosing = false;
  const change = (socket: Socket, by: number): void => {
    const left = (running.get(socket) ?? 0) + by;
    if (running.has(socket)) running.set(socket, left);
    if (isClosing && left === 0) socket.end();
  };
  server.on("request", ({ socket }, response) => {
    change(socket, 1);
    response.once("close", () => change(socket, -1));
  });
  return {
    accept(socket) {
      running.set(socket, 0);
      socket.once("close", () => running.delete(socket));
      server.emit("connection", socket);
    },
    async close() {
      isClosing = true;
      streams.close();
      const open = [...running.keys()];
      const closed = open.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
      for (const [socket, requests] of running) if (requests === 0) socket.destroy();
      const timer = setTimeout(() => open.forEach((socket) => void socket.destroy()), CLOSING_MS);
      await Promise.all(closed);
      clearTimeout(timer);
    },
  };
}

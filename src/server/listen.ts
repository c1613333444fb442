import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { Server as HttpServer, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { HalyardError, reasonOf } from "../core/error.ts";
import type { App } from "./app.ts";
import { type Door, isLoopback } from "./door.ts";
import type { Streams } from "./streams.ts";

/** A unix socket, private to the user, or a port, which is never open without a token. */
export type ListenAddress =
  | { readonly socketPath: string }
  | {
      readonly host?: string | undefined;
      /** 0 for any that is free. */
      readonly port: number;
      /** Lets `host` be an address that other machines can reach. */
      readonly expose?: boolean | undefined;
    };

/** A server that listens. */
export interface Listener {
  /** What `connectHalyard` takes: `http://127.0.0.1:4747`, or `unix:/path/to/the.sock`. */
  readonly url: string;
  /** Takes no more requests, lets those under way end for a moment, and breaks off the rest. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly headersTimeoutMs: number;
  readonly streams: Streams;
}

/** How long a request may still take once the server is closing. */
export const CLOSING_MS = 2_000;

/** How often connections are looked at that have nothing more to say then. */
const SWEEP_MS = 10;

export async function listen(
  app: App,
  address: ListenAddress,
  { headersTimeoutMs, streams }: ListenOptions,
): Promise<Listener> {
  const server = createHttpServer(app, doorOf(address), { headersTimeoutMs, streams });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await begin(server, address);
  return {
    url: urlOf(server, address),
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      streams.close();
      const timer = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
      const sweep = setInterval(() => {
        server.closeIdleConnections();
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy(); // never used
      }, SWEEP_MS);
      await closed;
      clearTimeout(timer);
      clearInterval(sweep);
    },
  };
}

/** An HTTP server for the app. It listens nowhere yet. */
export function createHttpServer(
  app: App,
  door: Door,
  { headersTimeoutMs, streams }: ListenOptions,
): HttpServer {
  const server = createAdaptorServer({
    fetch: async (request, { outgoing }) => {
      const response = await app.fetch(request, { door });
      const isPlain = outgoing instanceof ServerResponse;
      return isPlain && streams.send(response, outgoing) ? RESPONSE_ALREADY_SENT : response;
    },
    overrideGlobalObjects: false,
    serverOptions: {
      noDelay: true,
      headersTimeout: headersTimeoutMs,
      requestTimeout: Math.max(60_000, headersTimeoutMs),
      connectionsCheckingInterval: Math.min(2_000, headersTimeoutMs),
    },
  });
  if (server instanceof HttpServer) return server;
  throw new HalyardError("internal", "not a plain server");
}

async function begin(server: HttpServer, address: ListenAddress): Promise<void> {
  const listening = once(server, "listening");
  try {
    if ("socketPath" in address) server.listen(address.socketPath);
    else server.listen(address.port, address.host ?? "127.0.0.1");
    await listening;
    if ("socketPath" in address) await chmod(address.socketPath, 0o600);
  } catch (error) {
    const where = "socketPath" in address ? address.socketPath : `port ${address.port}`;
    const why = reasonOf(error);
    throw new HalyardError("invalid_input", `cannot listen on ${where}: ${why}`, { cause: error });
  }
}

function doorOf(address: ListenAddress): Door {
  if ("socketPath" in address) return { isPrivate: true, isExposed: false };
  const { host = "127.0.0.1", expose = false } = address;
  if (isLoopback(host)) return { isPrivate: false, isExposed: false };
  if (expose) return { isPrivate: false, isExposed: true };
  throw new HalyardError(
    "invalid_input",
    `${host} can be reached from other machines; say so with \`expose\` if that is meant`,
  );
}

function urlOf(server: HttpServer, address: ListenAddress): string {
  if ("socketPath" in address) return `unix:${address.socketPath}`;
  const { address: host, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${host}]` : host}:${port}`;
}

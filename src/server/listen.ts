import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { Server as HttpServer, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createAdaptorServer } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { sentence } from "../errors/sentence.ts";
import { type Access, isLoopback } from "./access.ts";
import type { App } from "./app.ts";
import { ignoreUpgrade, type UpgradeOptions, upgrade } from "./endpoints/upgrade.ts";
import type { Streams } from "./streams/streams.ts";

/**
 * A unix socket that only the user can open, or a port, whose requests need a token or the cookie of a signed-in
 * browser.
 */
export type ListenAddress =
  | { readonly socketPath: string }
  | {
      /** The address to listen on. Defaults to `127.0.0.1`. */
      readonly host?: string | undefined;
      /** The port. 0 selects any free port. */
      readonly port: number;
      /** True to allow a `host` that other machines can reach. Defaults to false. */
      readonly expose?: boolean | undefined;
      /** True to serve only the page and the sessions that are shared by a link. Defaults to false. */
      readonly isForShares?: boolean | undefined;
    };

/** An address on which the server listens. */
export interface ListeningServer {
  /** The argument for `connectHalyard`: `http://127.0.0.1:4747`, or `unix:/path/to/the.sock`. */
  readonly url: string;
  /**
   * Stops accepting requests and ends streams and WebSockets. Waits up to 2 s for other running requests, and then closes
   * their connections.
   */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly headersTimeoutMs: number;
  readonly streams: Streams;
  /** How WebSockets are accepted. If omitted, the server ignores requests for an upgrade and responds over HTTP/1.1. */
  readonly upgrades?: Omit<UpgradeOptions, "access"> | undefined;
}

/** How long running requests may take after the server has started to close, in milliseconds. */
export const CLOSING_MS = 2_000;

/** The interval at which idle connections are closed while the server closes, in milliseconds. */
const SWEEP_MS = 10;

export async function listen(
  app: App,
  address: ListenAddress,
  options: ListenOptions,
): Promise<ListeningServer> {
  const { streams } = options;
  const server = createHttpServer(app, accessOf(address), options);
  const webSockets = new Set<Duplex>();
  server.on("upgrade", (_request, socket) => {
    webSockets.add(socket);
    socket.once("close", () => webSockets.delete(socket));
  });
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
      for (const socket of webSockets) socket.destroy(); // the clients reconnect
      const timer = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
      const sweep = setInterval(() => {
        server.closeIdleConnections();
        // `closeIdleConnections` skips connections that were never used.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      }, SWEEP_MS);
      await closed;
      clearTimeout(timer);
      clearInterval(sweep);
    },
  };
}

/** Creates an HTTP server for the app without listening. */
export function createHttpServer(
  app: App,
  access: Access,
  { headersTimeoutMs, streams, upgrades }: ListenOptions,
): HttpServer {
  const server = createAdaptorServer({
    fetch: async (request, { outgoing }) => {
      const response = await app.fetch(request, { access });
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
  if (!(server instanceof HttpServer))
    throw new HalyardError("internal", "The HTTP adapter returned a server that is not HTTP/1.");
  server.on("upgrade", (request, socket, head) => {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === "websocket";
    if (upgrades && isWebSocket) void upgrade(request, socket, head, { ...upgrades, access });
    else server.emit("request", request, ignoreUpgrade(request));
  });
  return server;
}

/** Rejects with `invalid_input` if a server could not listen on the address now. */
export async function requireListenable(address: ListenAddress): Promise<void> {
  accessOf(address);
  const server = new HttpServer();
  await begin(server, address);
  server.close();
  await once(server, "close");
}

async function begin(server: HttpServer, address: ListenAddress): Promise<void> {
  const listening = once(server, "listening");
  try {
    if ("socketPath" in address) server.listen(address.socketPath);
    else server.listen(address.port, address.host ?? "127.0.0.1");
    await listening;
    if ("socketPath" in address) await chmod(address.socketPath, 0o600);
  } catch (error) {
    const [where, advice] =
      "socketPath" in address
        ? [address.socketPath, "Choose another path"]
        : [`${address.host ?? "127.0.0.1"}:${address.port}`, "Choose another host or port"];
    const message = `Cannot listen on ${where}: ${sentence(reasonOf(error))} ${advice}.`;
    throw new HalyardError("invalid_input", message, { cause: error });
  }
}

function accessOf(address: ListenAddress): Access {
  if ("socketPath" in address) return { isPrivate: true, isExposed: false };
  const { host = "127.0.0.1", expose = false, isForShares = false } = address;
  if (isLoopback(host)) return { isPrivate: false, isExposed: false, isForShares };
  if (expose) return { isPrivate: false, isExposed: true, isForShares };
  throw new HalyardError(
    "invalid_input",
    `Other machines can reach ${host}. To allow this, set the option "expose" (--expose).`,
  );
}

function urlOf(server: HttpServer, address: ListenAddress): string {
  if ("socketPath" in address) return `unix:${address.socketPath}`;
  const { address: host, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${host}]` : host}:${port}`;
}

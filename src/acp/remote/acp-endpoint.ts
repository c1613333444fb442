import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { type WebSocket, WebSocketServer } from "ws";
import { HalyardError } from "../../errors/error.ts";
import { LONGEST_LINE_BYTES } from "../../wire/bounded-lines.ts";
import { connectClient } from "../agent.ts";
import type { AcpContext } from "../context.ts";
import type { AcpNetworkSdk } from "../sdk.ts";
import { HttpConnections } from "./http-connections.ts";

export interface AcpEndpointOptions {
  readonly version: string;
  /**
   * Returns the context of a connection. The query of its URL selects the runtime and the policy. Throws if the query
   * is invalid.
   */
  context(query: URLSearchParams): AcpContext;
  /** The interval of the pings that detect dead connections, in milliseconds. Defaults to 30,000. */
  readonly pingMs?: number;
  /** The time limit for a client's first message over a WebSocket, in milliseconds. Defaults to 10,000. */
  readonly greetingMs?: number;
  /** The time after which an unused HTTP connection is closed, in milliseconds. Defaults to 300,000. */
  readonly idleMs?: number;
  /** The maximum number of connections. Defaults to 256. */
  readonly maxConnections?: number;
}

/**
 * The maximum number of bytes that a slow client may leave unread. Further updates to this client wait until it reads
 * more. The SDK closes a connection whose client reads nothing for 60 s. Other clients are not affected.
 */
const UNREAD_BYTES = 16 * 1024 * 1024;

/**
 * Serves the ACP agent on WebSockets, and on HTTP with server-sent events. The caller must authorize requests first.
 */
export class AcpEndpoint {
  readonly #sdk: AcpNetworkSdk;
  readonly #options: AcpEndpointOptions;
  readonly #server: AcpServer;
  readonly #http: HttpConnections;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LONGEST_LINE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  readonly #pings: NodeJS.Timeout;

  constructor(sdk: AcpNetworkSdk, options: AcpEndpointOptions) {
    this.#sdk = sdk;
    this.#options = options;
    this.#server = new sdk.server.AcpServer({
      createAgent: () => this.#agent(new URLSearchParams()),
      maxBufferedBytes: UNREAD_BYTES,
    });
    this.#http = new HttpConnections({
      idleMs: options.idleMs ?? 300_000,
      close: (id) => void this.#server.handleRequest(closeRequest(id)),
    });
    this.#pings = setInterval(() => this.#ping(), options.pingMs ?? 30_000).unref();
  }

  /** The number of connected clients. */
  get connections(): number {
    return this.#sockets.clients.size + this.#http.size;
  }

  /** Responds to a request from a client that uses HTTP with server-sent events. */
  async fetch(request: Request): Promise<Response> {
    const agent = this.#agent(new URL(request.url).searchParams);
    const isNew = request.method === "POST" && !request.headers.has(CONNECTION_ID);
    if (isNew) this.#requireRoom();
    const response = await this.#server.handleRequest(request, { agent });
    return this.#http.track(request, response);
  }

  /** Accepts a WebSocket. If the connection cannot be accepted, throws without responding. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#requireRoom();
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const agent = this.#agent(searchParams);
    const prepared = this.#server.prepareWebSocketUpgrade({ agent });
    const onHeaders = (headers: string[], about: IncomingMessage) => {
      if (about === request) headers.push(`${CONNECTION_ID}: ${prepared.connectionId}`);
    };
    this.#sockets.on("headers", onHeaders);
    socket.once("close", () => prepared.reject()); // no effect if the connection was accepted
    this.#sockets.handleUpgrade(request, socket, head, (client) => {
      this.#guard(client);
      prepared.accept(client);
    });
    this.#sockets.off("headers", onHeaders);
  }

  /** Disconnects all clients. Their sessions continue. */
  async close(): Promise<void> {
    clearInterval(this.#pings);
    this.#http.close();
    await this.#server.close();
    for (const client of this.#sockets.clients) client.terminate();
    this.#sockets.close();
  }

  #agent(query: URLSearchParams) {
    const context = this.#options.context(query);
    const { version } = this.#options;
    return {
      connect: (stream: Stream, options: object = {}) =>
        connectClient(this.#sdk, context, { ...options, stream, version }),
    };
  }

  /** Closes a connection that sends binary data, or that sends no first message in time. */
  #guard(client: WebSocket): void {
    const { greetingMs = 10_000 } = this.#options;
    const silence = setTimeout(() => client.close(1008, "No initialize request"), greetingMs);
    client.on("message", (_data, isBinary) => {
      clearTimeout(silence);
      if (isBinary) client.close(1003, "Send text frames with one JSON-RPC message each");
    });
    client.on("close", () => clearTimeout(silence));
    client.on("error", () => {}); // the library closes the connection, for example if a frame is too large
    client.on("pong", () => this.#unanswered.delete(client));
  }

  /** The clients that have not answered the last ping. */
  readonly #unanswered = new WeakSet<WebSocket>();

  #ping(): void {
    for (const client of this.#sockets.clients) {
      if (this.#unanswered.has(client)) {
        client.terminate();
        continue;
      }
      this.#unanswered.add(client);
      client.ping();
    }
  }

  #requireRoom(): void {
    const { maxConnections = 256 } = this.#options;
    if (this.connections < maxConnections) return;
    throw new HalyardError(
      "limit_exceeded",
      `${maxConnections} ACP clients are connected, which is the maximum. Disconnect one of them.`,
    );
  }
}

type Stream = Parameters<typeof connectClient>[2]["stream"];

/** The subprotocol that a client offers in addition to the subprotocol that contains its token. */
const SUBPROTOCOL = "acp";

const CONNECTION_ID = "Acp-Connection-Id";

function closeRequest(connectionId: string): Request {
  const headers = { [CONNECTION_ID]: connectionId };
  return new Request("http://localhost/acp", { method: "DELETE", headers });
}

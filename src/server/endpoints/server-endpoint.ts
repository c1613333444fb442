import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/**
 * An endpoint for another protocol. The server checks the Host, the Origin and the credentials of each request before it
 * calls the endpoint.
 */
export interface ServerEndpoint {
  /** The path below the server's base path. */
  readonly path: `/${string}`;
  /** Responds to a request. The body is complete and within the server's size limit. */
  fetch(request: Request): Promise<Response>;
  /**
   * Accepts a WebSocket. If it rejects, the server responds with the error. Omitted if the endpoint does not support
   * WebSockets.
   */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

import { type IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { HalyardError } from "../../errors/error.ts";
import {
  type Access,
  type GuardOptions,
  isAuthorized,
  requireOrigin,
  unauthorized,
} from "../access.ts";
import { isFault, problemResponse } from "../problem.ts";
import type { ServerEndpoint } from "./server-endpoint.ts";

/** Options for passing WebSocket upgrades to the endpoints of a server. */
export interface UpgradeOptions {
  readonly endpoints: readonly ServerEndpoint[];
  readonly basePath: string;
  readonly guard: GuardOptions;
  readonly access: Access;
  readonly onFault: (error: unknown) => void;
}

/** Checks a WebSocket request like any other request, and passes it to its endpoint. Responds with the error if that fails. */
export async function upgrade(
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { endpoints, basePath, guard, access, onFault }: UpgradeOptions,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  try {
    const request = toRequest(incoming);
    requireOrigin(request, access, guard);
    const { pathname } = new URL(request.url);
    const endpoint = endpoints.find(({ path }) => `${basePath}${path}` === pathname);
    if (!endpoint?.upgrade)
      throw new HalyardError(
        "not_found",
        `There is no WebSocket endpoint at ${pathname}. See ${basePath}/docs for the routes.`,
      );
    if (!(await isAuthorized(request, access, guard)))
      throw unauthorized("The request has no token.");
    await endpoint.upgrade(incoming, socket, head);
  } catch (error) {
    if (isFault(error)) onFault(error);
    await refuse(socket, problemResponse(error, basePath));
  }
}

/**
 * Converts an upgrade to a request that can be checked. Browsers cannot set WebSocket headers, so they send the token,
 * encoded as base64url, in the subprotocol `bearer.TOKEN`.
 */
function toRequest({ url = "/", headers: all }: IncomingMessage): Request {
  const headers = new Headers();
  for (const name of ["host", "origin", "cookie", "authorization", "sec-fetch-site"]) {
    const value = all[name];
    if (typeof value === "string") headers.set(name, value);
  }
  const [, token] = /(?:^|,)\s*bearer\.([\w-]+)/.exec(all["sec-websocket-protocol"] ?? "") ?? [];
  if (token !== undefined && !headers.has("authorization")) {
    const given = Buffer.from(token, "base64url").toString("latin1");
    headers.set("authorization", `Bearer ${/^[\x21-\x7e]+$/.test(given) ? given : "malformed"}`);
  }
  if (!URL.canParse(url, "http://localhost"))
    throw new HalyardError(
      "invalid_input",
      "The request URL is malformed. Send a path that starts with /.",
    );
  return new Request(new URL(url, "http://localhost"), { headers });
}

async function refuse(socket: Duplex, response: Response): Promise<void> {
  if (socket.destroyed) return;
  const body = Buffer.from(await response.arrayBuffer());
  const { status } = response;
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    "connection: close",
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]));
}

/** Ignores a requested upgrade to another protocol, such as HTTP/2, and responds over HTTP/1.1. */
export function ignoreUpgrade(incoming: IncomingMessage): ServerResponse {
  const response = new ServerResponse(incoming);
  response.shouldKeepAlive = false;
  response.assignSocket(incoming.socket);
  // Node no longer manages the socket of an upgrade, so it does not close the connection after the response.
  response.once("finish", () => incoming.socket.end());
  return response;
}

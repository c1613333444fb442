import { type IncomingMessage, request } from "node:http";
import { resolve as resolvePath } from "node:path";
import { Readable } from "node:stream";

/**
 * Returns a `fetch` that connects to a unix socket, which Node's `fetch` cannot do. Supports only the features that
 * this client uses.
 */
export function socketFetch(socketPath: string): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const { method = "GET", body, signal } = init;
      const headers = Object.fromEntries(new Headers(init.headers));
      const path = url.pathname + url.search;
      const options = { socketPath, method, path, headers, ...(signal && { signal }) };
      const call = request(options, (answer) => resolve(toResponse(answer)));
      call.on("error", reject);
      call.end(typeof body === "string" ? body : undefined);
    });
}

/**
 * Resolves a path against the working directory, because both ends of a unix socket share a file system. Returns an empty
 * path unchanged.
 */
export function toAbsolute(path: string): string {
  return path === "" ? path : resolvePath(path);
}

function toResponse(answer: IncomingMessage): Response {
  const { statusCode: status = 502, headers } = answer;
  const body = status === 204 ? null : toBody(answer);
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Response(body, { status, headers: Object.fromEntries(entries) });
}

function toBody(answer: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(answer) as ReadableStream<Uint8Array>;
}

import { AsyncLocalStorage } from "node:async_hooks";
import type { Server, ServerResponse } from "node:http";
import { isRecord } from "../wire/is-record.ts";
import type { ErrorReply } from "./script.ts";

/** Adds a scripted error's headers and fields to aimock's response, because aimock supports only a few of them. */
export class ErrorResponses {
  readonly #current = new AsyncLocalStorage<ServerResponse>();

  constructor(server: Server) {
    const listeners = server.listeners("request");
    server.removeAllListeners("request");
    server.on("request", (request, response) =>
      this.#current.run(response, () => {
        for (const listener of listeners) listener.call(server, request, response);
      }),
    );
  }

  /** Adds a scripted error's headers and fields to the response to the current request. */
  complete({ fields, headers = {} }: ErrorReply["error"]): void {
    const response = this.#current.getStore();
    if (!response || (!fields && Object.keys(headers).length === 0)) return;
    const { end, writeHead } = response;
    response.writeHead = (status: number, ...rest: unknown[]) => {
      const own = Object.entries(rest.find(isRecord) ?? {});
      const lower = Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value]));
      return Reflect.apply(writeHead, response, [status, { ...lower, ...headers }]);
    };
    response.end = (...args: unknown[]) => {
      const [body] = args;
      const isBody = typeof body === "string" && fields !== undefined;
      return Reflect.apply(end, response, isBody ? [withFields(body, fields)] : args);
    };
  }
}

function withFields(body: string, fields: Readonly<Record<string, unknown>>): string {
  const parsed: unknown = JSON.parse(body);
  const error = isRecord(parsed) ? parsed.error : undefined;
  return JSON.stringify({ ...Object(parsed), error: { ...Object(error), ...fields } });
}

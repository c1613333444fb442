import type { IncomingMessage, Server } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";

/**
 * Changes the role of steered messages back to `user`. Claude Code sends them as system messages in the conversation,
 * which aimock drops. Calls `onBody` with the original body of each POST request.
 */
export function keepSteeredMessages(server: Server, onBody: (json: string) => void): void {
  const listeners = server.listeners("request");
  server.removeAllListeners("request");
  const deliver = (...args: unknown[]): void => {
    for (const listener of listeners) listener.apply(server, args);
  };
  server.on("request", async (request, response) => {
    if (request.method !== "POST") return deliver(request, response);
    const body = await text(request);
    onBody(body);
    const isAnthropic = request.url?.startsWith("/v1/messages") ?? false;
    deliver(withBody(request, isAnthropic ? rewritten(body) : body), response);
  });
}

const Body = z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) });

function rewritten(json: string): string {
  const { data: body } = Body.safeParse(json === "" ? undefined : JSON.parse(json));
  if (body === undefined) return json;
  const begun = body.messages.findIndex(({ role }) => role === "assistant");
  const messages = body.messages.map((message, at) =>
    message.role === "system" && begun >= 0 && at > begun ? { ...message, role: "user" } : message,
  );
  return JSON.stringify({ ...body, messages });
}

/** Returns a request with another body and the fields of the original request that aimock reads. */
function withBody(request: IncomingMessage, body: string): Readable {
  const { method, url, headers, rawHeaders, socket, httpVersion, complete } = request;
  const parts = { method, url, headers, rawHeaders, socket, httpVersion, complete };
  return Object.assign(Readable.from([Buffer.from(body)]), parts);
}

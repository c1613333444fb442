import type { IncomingMessage, Server } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";

/**
 * What a user says in mid-turn, Claude Code passes on as a system message between the others, which aimock would
 * lose: here it becomes the user's own again.
 */
export function keepMidTurnWords(server: Server): void {
  const listeners = server.listeners("request");
  server.removeAllListeners("request");
  server.on("request", async (request, response) => {
    const isAnthropic = request.url?.startsWith("/v1/messages") ?? false;
    const heard = isAnthropic ? withBody(request, rewritten(await text(request))) : request;
    for (const listener of listeners) listener.call(server, heard, response);
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

/** As much of a request as aimock looks at. */
function withBody(request: IncomingMessage, body: string): Readable {
  const { method, url, headers, rawHeaders, socket, httpVersion, complete } = request;
  const parts = { method, url, headers, rawHeaders, socket, httpVersion, complete };
  return Object.assign(Readable.from([Buffer.from(body)]), parts);
}

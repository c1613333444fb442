import { createServer, type ServerResponse } from "node:http";
import { z } from "zod";

/** An output item of the Responses API, for tests that need more than the scripted model supports. */
export type Said =
  | { readonly text: string }
  | { readonly call: string; readonly input: unknown; readonly namespace?: string }
  /** A call of a tool whose input is not JSON. */
  | { readonly custom: string; readonly input: string }
  | { readonly item: Readonly<Record<string, unknown>> }
  | { readonly end: "incomplete" | "failed" };

export interface ResponsesModel extends AsyncDisposable {
  readonly baseUrl: string;
  readonly asked: Asked[];
}

/** A request to the model. */
export interface Asked {
  /** The last message of the user. */
  readonly user: string;
  /** The output of the tool, if it is the last item. */
  readonly toolOutput: string | undefined;
  readonly body: string;
  readonly authorization: string;
}

const Content = z.array(z.looseObject({ text: z.string().default("") })).default([]);
const Body = z.looseObject({
  input: z.array(
    z.looseObject({
      type: z.string().default("message"),
      role: z.string().optional(),
      content: z.unknown().optional(),
      output: z.unknown().optional(),
    }),
  ),
});

export async function startResponsesModel(
  answer: (asked: Asked) => readonly Said[],
): Promise<ResponsesModel> {
  const asked: Asked[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") {
      response.writeHead(404).end();
      return;
    }
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const now = read(body, request.headers.authorization ?? "");
    asked.push(now);
    response.writeHead(200, { "content-type": "text/event-stream" });
    speak(response, answer(now), () => `${++count}`);
  });
  server.on("upgrade", (_, socket) => socket.end(NO_WEBSOCKET));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const NO_WEBSOCKET = "HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\n\r\n";

function read(body: string, authorization: string): Asked {
  const { input } = Body.parse(JSON.parse(body));
  const users = input.filter(({ role }) => role === "user");
  const parts = Content.safeParse(users.at(-1)?.content).data ?? [];
  const last = input.at(-1);
  const isTool = last?.type.endsWith("_call_output") === true;
  const toolOutput = isTool ? JSON.stringify(last.output) : undefined;
  return { user: parts.map(({ text }) => text).join(""), toolOutput, body, authorization };
}

function speak(response: ServerResponse, said: readonly Said[], newId: () => string): void {
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const id = `resp_${newId()}`;
  send("response.created", { response: { id, status: "in_progress", output: [] } });
  const output: object[] = [];
  let end = "completed";
  for (const [output_index, one] of said.entries()) {
    if ("end" in one) {
      end = one.end;
      continue;
    }
    const item = toItem(one, newId());
    send("response.output_item.added", { output_index, item: { ...item, ...unfinished(one) } });
    if ("text" in one)
      send("response.output_text.delta", { item_id: item.id, output_index, delta: one.text });
    send("response.output_item.done", { output_index, item });
    output.push(item);
  }
  const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
  const details = {
    completed: { output },
    incomplete: { incomplete_details: { reason: "max_output_tokens" } },
    failed: { error: { code: "server_error", message: "it FELL over" } },
  };
  const detail = Object.entries(details).find(([name]) => name === end)?.[1];
  send(`response.${end}`, { response: { id, status: end, usage, ...detail } });
  response.end();
}

function toItem(said: Exclude<Said, { end: string }>, n: string): Record<string, unknown> {
  if ("item" in said) return { id: `item_${n}`, ...said.item };
  if ("text" in said) {
    const content = [{ type: "output_text", text: said.text, annotations: [] }];
    return { type: "message", id: `msg_${n}`, role: "assistant", content };
  }
  if ("custom" in said) {
    const { custom: name, input } = said;
    return { type: "custom_tool_call", id: `ctc_${n}`, call_id: `call_${n}`, name, input };
  }
  const { call: name, input, namespace } = said;
  const call = { type: "function_call", id: `fc_${n}`, call_id: `call_${n}`, name };
  return { ...call, arguments: JSON.stringify(input), ...(namespace && { namespace }) };
}

function unfinished(said: Said): Record<string, unknown> {
  return "text" in said ? { content: [] } : {};
}

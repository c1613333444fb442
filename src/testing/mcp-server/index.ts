import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import type { McpServer } from "../../schema/mcp-server.ts";
import { answerTo } from "./answer.mjs";

/** Returns the settings for a stdio MCP server, which writes its pid and environment to the file. */
export function programServer(file: string, env: Record<string, string> = {}) {
  return { command: process.execPath, args: [program, file], env } satisfies McpServer;
}

const program = fileURLToPath(new URL("./main.mjs", import.meta.url));

/** An MCP server over HTTP or SSE that requires a key. */
export interface NetworkServer extends AsyncDisposable {
  /** The server's settings for a session. */
  readonly server: McpServer;
}

/** Starts an MCP server on a free port of the loopback interface. The server rejects requests without the key. */
export async function startNetworkServer(
  type: "http" | "sse",
  key: string,
): Promise<NetworkServer> {
  const respond = type === "http" ? respondAtOnce : respondByStream();
  const server = createServer(async (request, response) => {
    const message = await readAll(request);
    if (request.headers["x-depths-key"] !== key) response.writeHead(403).end();
    else respond(request.method ?? "", message, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    server: {
      type,
      url: `http://127.0.0.1:${portOf(server)}/mcp`,
      headers: { "X-Depths-Key": key },
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Respond = (method: string, message: string, response: ServerResponse) => void;

/** Responds directly to the request. */
const respondAtOnce: Respond = (method, message, response) => {
  if (method !== "POST") return void response.writeHead(405).end();
  const answer = answerTo(JSON.parse(message));
  if (!answer) return void response.writeHead(202).end();
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
};

/** Sends all responses in the stream of the GET request, as MCP's SSE transport requires. */
function respondByStream(): Respond {
  let stream: ServerResponse | undefined;
  return (method, message, response) => {
    if (method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /mcp/messages\n\n");
      return;
    }
    if (stream === undefined) return void response.writeHead(405).end();
    const answer = answerTo(JSON.parse(message));
    response.writeHead(202).end();
    if (answer) stream.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return body;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

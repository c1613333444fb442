import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import type { McpServer } from "../../schema/mcp-server.ts";
import { answerTo } from "./answer.mjs";

/** An MCP server that is a program, as a session takes it. It leaves its pid and its environment in that file. */
export function programServer(file: string, env: Record<string, string> = {}) {
  return { command: process.execPath, args: [program, file], env } satisfies McpServer;
}

const program = fileURLToPath(new URL("./main.mjs", import.meta.url));

/** One that is reached over HTTP, and answers nobody who does not bring its key. */
export interface HttpServer extends AsyncDisposable {
  /** As a session takes it. */
  readonly server: McpServer;
}

export async function startHttpServer(key: string): Promise<HttpServer> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const status = request.headers["x-depths-key"] !== key ? 403 : 405;
    if (status === 403 || request.method !== "POST") return void response.writeHead(status).end();
    const answer = answerTo(JSON.parse(body));
    if (!answer) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const url = `http://127.0.0.1:${address.port}/mcp`;
  return {
    server: { type: "http", url, headers: { "X-Depths-Key": key } },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

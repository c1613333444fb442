import { request as ask, createServer } from "node:http";

/** A request that the proxy has forwarded. */
export interface RecordedRequest {
  /** The method and the path without the query: `GET /session`. */
  readonly route: string;
  readonly body: string;
}

/** A proxy that forwards requests to a server and records them. */
export interface RecordedLine extends AsyncDisposable {
  /** Sets the server to which the proxy forwards, and returns the URL of the proxy. */
  to(url: string): string;
  readonly requests: readonly RecordedRequest[];
}

export async function openRecordedLine(): Promise<RecordedLine> {
  const requests: RecordedRequest[] = [];
  let target = "";
  const server = createServer(async (near, answer) => {
    const { method = "", url = "", headers } = near;
    let body = "";
    for await (const chunk of near) body += chunk;
    requests.push({ route: `${method} ${url.replace(/\?.*/, "")}`, body });
    const far = ask(`${target}${url}`, { method, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 500, received.headers);
      received.on("error", () => answer.destroy());
      received.pipe(answer);
    });
    far.on("error", () => answer.destroy());
    answer.on("close", () => far.destroy());
    far.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    requests,
    to(url) {
      target = url.replace(/\/+$/, "");
      return `http://127.0.0.1:${address.port}`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { Client } from "./client.ts";
import { SessionApi } from "./session-api.ts";

/** Starts a server on which only the given requests are open. */
async function startServer({ open }: { open: readonly string[] }): Promise<SessionApi> {
  const server = createServer(({ url = "" }, response) => {
    const id = /^\/(?:permission|question)\/(\w+)/.exec(url)?.[1];
    if (id === undefined) {
      const questions = open.map((each) => ({ id: each, sessionID: "ses_1", questions: [] }));
      return response.end(JSON.stringify(questions));
    }
    return response.writeHead(open.includes(id) ? 200 : 404).end("true");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return new SessionApi(new Client(`http://127.0.0.1:${address.port}`, "pw"), "/a");
}

test.each(["per", "que"])(
  "resolves with false if OpenCode no longer waits for the answer to %s_…",
  async (kind) => {
    const api = await startServer({ open: [`${kind}_1`] });
    expect(await api.answer(`${kind}_1`, { decision: "allow" })).toBe(true);
    expect(await api.answer(`${kind}_2`, { decision: "allow" })).toBe(false);
  },
);

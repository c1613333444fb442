import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { UrlHook } from "../../schema/hook.ts";
import { samplePayload } from "../../testing/sample-payload.ts";
import { sign } from "../signature.ts";
import { urlSink } from "./url-sink.ts";

interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

/**
 * Starts a server that responds with these status codes in turn and repeats the last one. Zero closes the connection.
 */
async function listen(...answers: number[]): Promise<{ url: string; calls: Call[] }> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const { headers, url: path = "" } = request;
    calls.push({ headers, path, body: await text(request) });
    const status = answers[Math.min(calls.length, answers.length) - 1] ?? 204;
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, { location: "/elsewhere" }).end("thanks");
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}/hooks?token=hidden`, calls };
}

const options = { now: () => new Date("2026-01-01T00:00:07Z"), retryMs: 1 };
const { signal } = new AbortController();
const id = "ses_0000000000000001:OnError:12";
const payload = samplePayload({ event: "OnError", data: { seq: 12 } });

test("posts a payload with an id and a signature", async () => {
  const { url, calls } = await listen();
  await urlSink(UrlHook.parse({ url, secret: "sesame" }), options).deliver(payload, { id, signal });
  const [call] = calls;
  const timestamp = 1767225607;
  expect(JSON.parse(call?.body ?? "")).toEqual(payload);
  expect(call?.headers).toMatchObject({
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": sign("sesame", { id, timestamp, body: call?.body ?? "" }),
  });
  expect(calls).toHaveLength(1);
});

test("retries a transient failure with the same webhook id", async () => {
  const { url, calls } = await listen(503, 0, 429, 204);
  await urlSink(UrlHook.parse({ url }), options).deliver(payload, { id, signal });
  expect(calls).toHaveLength(4);
  expect(new Set(calls.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

test("stops after the configured attempts and reports the URL without its query", async () => {
  const { url, calls } = await listen(500);
  const sink = urlSink(UrlHook.parse({ url, attempts: 3 }), options);
  await expect(sink.deliver(payload, { id, signal })).rejects.toThrow(
    "the server responded with status 500: thanks (attempts: 3)",
  );
  expect(calls).toHaveLength(3);
  expect(sink.name).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/…$/);
});

test("neither retries a request that the server rejects or redirects, nor follows the redirect", async () => {
  const { url, calls } = await listen(403);
  const refused = urlSink(UrlHook.parse({ url }), options).deliver(payload, { id, signal });
  await expect(refused).rejects.toThrow(
    "the server responded with status 403: thanks (attempts: 1)",
  );
  expect(calls).toHaveLength(1);

  const moved = await listen(307);
  const sink = urlSink(UrlHook.parse({ url: moved.url, attempts: 2 }), options);
  await expect(sink.deliver(payload, { id, signal })).rejects.toThrow(
    "the server responded with status 307: thanks (attempts: 1)",
  );
  expect(moved.calls).toHaveLength(1);
});

test("does not wait for the next attempt when the delivery is aborted", async () => {
  const { url } = await listen(500);
  const aborting = new AbortController();
  const sink = urlSink(UrlHook.parse({ url }), { ...options, retryMs: 60_000 });
  const received = sink.deliver(payload, { id, signal: aborting.signal });
  setTimeout(() => aborting.abort(), 50);
  await expect(received).rejects.toMatchObject({ name: "AbortError" });
});

test("reports why no connection was made", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  server.close();
  await once(server, "close");
  const sink = urlSink(UrlHook.parse({ url: `http://localhost:${port}/`, attempts: 1 }), options);
  await expect(sink.deliver(payload, { id, signal })).rejects.toThrow(/^connect ECONNREFUSED .*:/);
});

test.each([
  [
    "OnRequest",
    { session_name: "api", text: "Run <rm>?" },
    { title: "api needs an answer", message: "Run <rm>?", priority: 4 },
    "*api needs an answer*\nRun &lt;rm&gt;?",
  ],
  [
    "OnTurnEnd",
    { session_name: null, status: "completed", message: "Done & tested" },
    { title: "ses_0000000000000001 is done", message: "Done & tested", priority: 3 },
    "*ses_0000000000000001 is done*\nDone &amp; tested",
  ],
  [
    "OnTurnEnd",
    { session_name: "äpi", status: "failed", message: "", error: { message: "no key" } },
    { title: "äpi has failed", message: "no key", priority: 4 },
    "*äpi has failed*\nno key",
  ],
] as const)("sends %s as a notification to ntfy and Slack", async (event, data, ntfy, slack) => {
  const given = samplePayload({ event, data: { seq: 3, ...data } });
  const { url, calls } = await listen();
  const topic = url.replace("/hooks?", "/base/my-topic?");
  const headers = { authorization: "Bearer tk_1" };
  const sinks = [
    { url: topic, format: "ntfy", headers },
    { url, format: "slack" },
  ].map((hook) => urlSink(UrlHook.parse(hook), options));
  for (const sink of sinks) {
    expect(sink.events).toEqual(["OnRequest", "OnTurnEnd", "OnLimit", "OnBudget"]);
    await sink.deliver(given, { id, signal });
  }
  const [first, second] = calls;
  expect(JSON.parse(first?.body ?? "")).toEqual({ topic: "my-topic", ...ntfy });
  expect(first).toMatchObject({ path: "/base/?token=hidden", headers });
  expect(JSON.parse(second?.body ?? "")).toEqual({ text: slack });
});

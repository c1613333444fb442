import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NatsServer } from "../../../test/nats/nats-server.ts";
import { createNatsFetch } from "./nats-fetch.ts";
import { type Respond, serveRequests } from "./serve-requests.ts";

let nats: NatsServer;
let client: NatsConnection;
let worker: NatsConnection;
let served: AsyncDisposable | undefined;

beforeEach(async () => {
  nats = await NatsServer.start();
  client = await connect({ servers: nats.url });
  worker = await connect({ servers: nats.url });
});
afterEach(async () => {
  await served?.[Symbol.asyncDispose]();
  served = undefined;
  for (const connection of [client, worker]) await connection.close();
  await nats[Symbol.asyncDispose]();
});

const url = (path: string) => new URL(path, "http://localhost");

async function serve(respond: Respond): Promise<typeof fetch> {
  served = await serveRequests(worker, "requests", respond);
  return createNatsFetch(client, "requests");
}

test("sends method, path, headers and a large body, and returns status, headers and a large body", async () => {
  const call = await serve(async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = `${request.method} ${pathname}${search} ${await request.text()}`;
    return new Response(body, {
      status: 201,
      headers: { "x-name": request.headers.get("x-name") ?? "" },
    });
  });
  const body = "é".repeat(2_000_000);
  const response = await call(url("/a?b=c"), { method: "POST", body, headers: { "x-name": "n" } });
  expect(response.status).toBe(201);
  expect(response.headers.get("x-name")).toBe("n");
  expect((await response.text()) === `POST /a?b=c ${body}`).toBe(true);
});

test("returns a response without a body", async () => {
  const call = await serve(() => new Response(null, { status: 204 }));
  const response = await call(url("/"));
  expect([response.status, response.body]).toEqual([204, null]);
});

test("rejects if no process listens, or if the process cannot respond", async () => {
  const nobody = await createNatsFetch(client, "nowhere");
  await expect(nobody(url("/"))).rejects.toThrow("no process listens");
  const call = await serve(() => Promise.reject(new Error("failed")));
  await expect(call(url("/"))).rejects.toThrow("could not complete");
});

test("streams while the response is produced, and stops producing when the client is slow", async () => {
  let produced = 0;
  const call = await serve(() => {
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          produced++;
          controller.enqueue(new Uint8Array(1_000).fill(produced % 256));
          if (produced === 1_000) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(source);
  });
  const response = await call(url("/"));
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(first?.value?.[0]).toBe(1);
  await client.flush();
  await worker.flush();
  expect(produced).toBeLessThan(300);
  let bytes = first?.value?.length ?? 0;
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read())
    bytes += chunk.value.length;
  expect(bytes).toBe(1_000_000);
});

test("continues the response after a report from the client was lost", async () => {
  let lost = 0;
  const publish: NatsConnection["publish"] = (subject, ...rest) => {
    if (subject.endsWith(".control") && lost++ === 0) return;
    client.publish(subject, ...rest);
  };
  const lossy = new Proxy(client, {
    get(target, name) {
      const value: unknown = name === "publish" ? publish : Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  served = await serveRequests(worker, "requests", () => {
    let left = 100;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      left-- > 0 ? controller.enqueue(new Uint8Array(1_000)) : controller.close();
    return new Response(new ReadableStream<Uint8Array>({ pull }));
  });
  const call = await createNatsFetch(lossy, "requests");
  const body = await (await call(url("/"))).arrayBuffer();
  expect([body.byteLength, lost > 1]).toEqual([100_000, true]);
});

test("cancels the response when the client aborts or disconnects", async () => {
  const cancelled: string[] = [];
  let onCancel = () => {};
  const call = await serve((request) => {
    const { pathname } = new URL(request.url);
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array([1])),
      cancel: () => {
        cancelled.push(pathname);
        onCancel();
      },
    });
    return new Response(source);
  });
  const next = () =>
    new Promise<void>((resolve) => {
      onCancel = resolve;
    });
  const abort = new AbortController();
  const response = await call(url("/aborted"), { signal: abort.signal });
  const first = next();
  abort.abort();
  await first;
  await expect(response.text()).rejects.toThrow();
  await call(url("/gone"));
  const second = next();
  await client.close();
  await second;
  expect(cancelled).toEqual(["/aborted", "/gone"]);
});

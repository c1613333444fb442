import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { frames, gather, type Served, serve, TOKEN } from "../../test/http/served.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";

async function flood(served: Served, id: SessionId, count: number): Promise<void> {
  const session = await served.halyard.session(id);
  expect(await session.send(`flood ${count}`).outcome).toMatchObject({ status: "completed" });
}

async function readSeqs(response: AsyncIterable<Record<string, string>>, most: number) {
  const seqs: number[] = [];
  for await (const { id, data } of response) {
    if (data === undefined || id === undefined) continue;
    expect(JSON.parse(data).seq).toBe(Number(id));
    seqs.push(Number(id));
    if (seqs.length === most) break;
  }
  return seqs;
}

const range = (from: number, to: number) => [...Array(to - from + 1).keys()].map((n) => n + from);

test("streams events as they happen and sends an end event when the log ends", async () => {
  await using served = await serve();
  const id = await served.start();
  const response = await served.open(`/v1/sessions/${id}/events`);
  expect(response.headers["content-type"]).toBe("text/event-stream");
  const reading = gather(frames(response));
  const session = await served.halyard.session(id);
  await session.send("say hello").outcome;
  await session.stop();
  const all = await reading;
  expect(all.at(-1)).toEqual({ event: "end", data: "{}" });
  const received = all.slice(0, -1).map(({ data = "" }) => JSON.parse(data));
  expect(received).toEqual(await gather(served.halyard.events(id)));
});

test("sends exactly the missed events to a reader that reconnects", async () => {
  await using served = await serve();
  const id = await served.start();
  const path = `/v1/sessions/${id}/events`;
  const first = await served.open(path);
  const flooding = flood(served, id, 30_000);
  const seen = await readSeqs(frames(first), 5_000);
  expect(seen).toEqual(range(1, 5_000));
  first.destroy();
  await flooding;
  await served.call("POST", `/v1/sessions/${id}/stop`);
  const { lastSeq = 0 } = (await served.halyard.find(id)) ?? {};
  expect(lastSeq).toBeGreaterThan(30_000);
  const again = await served.open(path, { "last-event-id": "5000" });
  expect(await readSeqs(frames(again), lastSeq)).toEqual(range(5_001, lastSeq));
  const response = await served.open(`${path}?after=${lastSeq - 1}`, { "last-event-id": "5" });
  expect(await readSeqs(frames(response), lastSeq)).toEqual([lastSeq]);
});

test.each(["/v1/sessions/ID/events", "/v1/events"])(
  "continues after the last event if a reader reconnects to %s with its original URL",
  async (template) => {
    await using served = await serve();
    const id = await served.start();
    await (await served.halyard.session(id)).send("say hello").outcome;
    await served.settle(id);
    const { lastSeq = 0 } = (await served.halyard.find(id)) ?? {};
    const path = `${template.replace("ID", id)}?follow=false&after=1`;
    const read = async (last: number) => {
      const headers = { accept: "text/event-stream", "last-event-id": `${last}` };
      return readSeqs(frames(await served.open(path, headers)), lastSeq);
    };
    expect(await read(3)).toEqual(range(4, lastSeq));
    expect(await read(0)).toEqual(range(2, lastSeq));
  },
);

test("does not delay a turn for readers that do not read, and sends all events to a reader that reads later", async () => {
  await using served = await serve();
  const id = await served.start();
  const path = `/v1/sessions/${id}/events`;
  const idle = await Promise.all([...Array(20)].map(() => served.open(path)));
  await flood(served, id, 40_000);
  expect(served.server.readers).toBe(20);
  await served.call("POST", `/v1/sessions/${id}/stop`);
  const { lastSeq = 0 } = (await served.halyard.find(id)) ?? {};
  const [late, ...gone] = idle;
  if (late) expect(await readSeqs(frames(late), lastSeq)).toEqual(range(1, lastSeq));
  for (const response of gone) response.destroy();
  while (served.server.readers > 0) await sleep(5);
});

test("serves the same stream if another server mounts the app, and releases a reader that disconnects", async () => {
  await using served = await serve();
  const id = await served.start();
  const path = `${served.url}/v1/sessions/${id}/events`;
  const headers = {
    host: "127.0.0.1",
    authorization: `Bearer ${TOKEN}`,
    accept: "text/event-stream",
  };
  const ask = (query: string) => served.server.app.request(`${path}${query}`, { headers });
  const text = await (await ask("?follow=false")).text();
  const { lastSeq = 0 } = (await served.halyard.find(id)) ?? {};
  expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))).toEqual(
    range(1, lastSeq),
  );
  expect(text).toContain("event: end");
  const { body } = await ask("");
  const reader = body?.getReader();
  expect((await reader?.read())?.value).toBeDefined();
  expect(served.server.readers).toBe(1);
  await reader?.cancel();
  expect(served.server.readers).toBe(0);
});

test("closes a response if the log cannot be read completely, and reports the error", async () => {
  await using served = await serve();
  const id = await served.start();
  const database = new DatabaseSync(`${served.home}/halyard.db`);
  database.exec("UPDATE blocks SET body = '['");
  database.close();
  await expect(served.call("GET", `/v1/sessions/${id}/export`)).rejects.toThrow();
  expect(served.faults).toMatchObject([{ code: "store_corrupt" }]);
});

test("sends heartbeats on an idle stream", async () => {
  await using served = await serve({ heartbeatMs: 20 });
  const id = await served.start();
  const response = await served.open(`/v1/sessions/${id}/events?after=1000`);
  const [first] = await once(response, "data");
  const [second] = await once(response, "data");
  expect([String(first), String(second)]).toEqual([":\n\n", ":\n\n"]);
  response.destroy();
});

test("returns existing events as a page with the requested start and types", async () => {
  await using served = await serve();
  const id = await served.start();
  await (await served.halyard.session(id)).send("say hello there").outcome;
  const all = await gather(served.halyard.events(id, { follow: false }));
  const page = async (query: string) =>
    (await served.call("GET", `/v1/sessions/${id}/events?follow=false${query}`)).json;
  expect(await page("")).toEqual({ events: all, last: all.length });
  expect(await page("&after=2&limit=2")).toEqual({ events: all.slice(2, 4), last: 4 });
  expect(await page("&after=1000")).toEqual({ events: [], last: 1000 });
  const deltas = all.filter(({ type }) => type === "delta");
  expect((await page("&types=delta")).events).toEqual(deltas);
  const response = await served.open(`/v1/sessions/${id}/events?follow=false&types=completion`, {
    accept: "text/event-stream",
  });
  const received = await gather(frames(response));
  expect(received).toMatchObject([{ id: `${all.length}` }, { event: "end" }]);
});

test("returns the last events of a log, or the last events before a given event", async () => {
  await using served = await serve();
  const id = await served.start();
  await (await served.halyard.session(id)).send("say hello there").outcome;
  await served.settle(id);
  const all = await gather(served.halyard.events(id, { follow: false }));
  const page = (query: string) => served.call("GET", `/v1/sessions/${id}/events?${query}`);
  const { length } = all;
  expect((await page("tail=2")).json).toEqual({
    events: all.slice(-2),
    first: length - 1,
    last: length,
  });
  expect((await page(`before=${length - 1}&limit=2&follow=false`)).json).toEqual({
    events: all.slice(-4, -2),
    first: length - 3,
    last: length - 2,
  });
  expect((await page("before=3")).json).toEqual({ events: all.slice(0, 2), first: 1, last: 2 });
  for (const query of [
    "tail=0",
    "tail=10001",
    "tail=2&limit=2",
    "before=3&tail=2",
    "before=3&after=1",
    "before=3&follow=true",
    "tail=3&types=delta",
  ])
    expect(await page(query)).toMatchObject({ status: 400, json: { code: "invalid_input" } });
  expect((await served.call("GET", "/v1/events/last")).json).toEqual({ position: length });
});

test("streams all sessions' events in the order in which they were written", async () => {
  await using served = await serve();
  const ids = [await served.start(), await served.start()];
  for (const id of ids) await (await served.halyard.session(id)).send("say hi").outcome;
  const { json } = await served.call("GET", "/v1/events?follow=false");
  const positions = json.events.map(({ position }: { position: number }) => position);
  expect(positions).toEqual(range(1, positions.length));
  expect(json.last).toBe(positions.length);
  const received = new Set(json.events.map(({ event }: { event: StreamEvent }) => event.sessionId));
  expect(received).toEqual(new Set(ids));
  const response = await served.open("/v1/events", { "last-event-id": "2" });
  expect((await frames(response).next()).value).toMatchObject({ id: "3" });
});

test("returns the position of the last event, even after a session was removed", async () => {
  await using served = await serve();
  const last = async () => (await served.call("GET", "/v1/events/last")).json.position;
  expect(await last()).toBe(0);
  const removed = await served.start();
  await flood(served, removed, 40);
  const id = await served.start();
  await flood(served, id, 300);
  for (const one of [removed, id]) await served.settle(one);
  const positions = async () => {
    const { json } = await served.call("GET", "/v1/events?follow=false");
    return json.last;
  };
  expect(await last()).toBe(await positions());
  const before = await last();
  await served.halyard.remove(removed);
  expect(await last()).toBeGreaterThan(before); // the stop appended an event, which was removed with the session
});

test("exports a whole session as lines or as one document", async () => {
  await using served = await serve();
  const id = await served.start();
  await flood(served, id, 3_000);
  await served.settle(id);
  const all = await gather(served.halyard.events(id, { follow: false }));
  const lines = await served.call("GET", `/v1/sessions/${id}/export`);
  expect(lines.type).toBe("application/jsonl");
  const parsed = lines.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(parsed).toEqual(all);
  const { json } = await served.call("GET", `/v1/sessions/${id}/export?format=json`);
  expect(json).toEqual({ session: await served.halyard.find(id), events: all });
});

test("exports a session as one HTML file that a browser saves and never runs as a page", async () => {
  await using served = await serve();
  const id = await served.start();
  await flood(served, id, 3_000);
  await served.settle(id);
  const path = `/v1/sessions/${id}/export?format=html`;
  const { headers } = await served.open(path);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-disposition": "attachment",
    "content-security-policy": "sandbox",
  });
  const { text } = await served.call("GET", path);
  const [, log = ""] = /id="halyard-log">(.*?)<\/script>/s.exec(text) ?? [];
  const events = await gather(served.halyard.events(id, { follow: false }));
  expect(JSON.parse(log)).toEqual({ session: await served.halyard.find(id), events });
});

test("ends streams without an end event when the server closes, so that readers reconnect", async () => {
  await using served = await serve();
  const id = await served.start();
  const listener = await served.server.listen({ socketPath: `${served.home}/a.sock` });
  const response = await served.open(`/v1/sessions/${id}/events`);
  const reading = gather(frames(response));
  while (served.server.readers === 0) await sleep(5);
  await listener.close();
  expect((await reading).map(({ event }) => event)).not.toContain("end");
});

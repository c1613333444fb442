import { expect, test } from "vitest";
import { gather, serve } from "../../test/http/served.ts";
import { embeddedFetch } from "./embedded-log.ts";
import { connectHalyard } from "./index.ts";

/** Records a session. Returns its exported log, and the server's response to each path. */
async function record() {
  await using served = await serve();
  const id = await served.start({ name: "api" });
  await (await served.halyard.session(id)).send("say hello there").outcome;
  await served.halyard.stop(id);
  const { json } = await served.call("GET", `/v1/sessions/${id}/export?format=json`);
  const paths = [
    "/v1/sessions",
    "/v1/sessions?states=running",
    `/v1/sessions/${id}`,
    `/v1/sessions/${id}/events?follow=false`,
    `/v1/sessions/${id}/events?follow=false&after=2&limit=2`,
    `/v1/sessions/${id}/events?follow=false&after=1000`,
    `/v1/sessions/${id}/events?follow=false&types=delta,completion`,
    `/v1/sessions/${id}/events?tail=2`,
    `/v1/sessions/${id}/events?before=4&limit=2`,
    `/v1/sessions/${id}/events?before=1`,
    `/v1/sessions/${id}/events?before=1000`,
    "/v1/events/last",
  ];
  const answers = new Map<string, unknown>();
  for (const path of paths) answers.set(path, (await served.call("GET", path)).json);
  return { id, log: json, answers };
}

test("responds from a log exactly as the server does", async () => {
  const { log, answers } = await record();
  const get = embeddedFetch(log);
  for (const [path, expected] of answers) {
    const response = await get(`http://localhost/mounted${path}`);
    expect({ path, json: await response.json() }).toEqual({ path, json: expected });
  }
});

test("serves reads of the session to the client, and rejects changes and other reads", async () => {
  const { id, log } = await record();
  await using halyard = await connectHalyard("http://localhost", { fetch: embeddedFetch(log) });
  expect(await halyard.sessions()).toEqual([log.session]);
  expect(await gather(halyard.events(id))).toEqual(log.events);
  const forbidden = { code: "forbidden" };
  await expect(halyard.stop(id)).rejects.toMatchObject(forbidden);
  await expect(halyard.remove(id)).rejects.toMatchObject(forbidden);
  await expect(halyard.update(id, { name: "x" })).rejects.toMatchObject(forbidden);
  const other = "ses_0000000000000000";
  expect(await halyard.find(other)).toBeUndefined();
  await expect(halyard.processes()).rejects.toMatchObject({ code: "not_found" });
});

test("keeps the stream of all sessions' events open until the reader aborts", async () => {
  const { log } = await record();
  await using halyard = await connectHalyard("http://localhost", { fetch: embeddedFetch(log) });
  const seen: number[] = [];
  const leaving = new AbortController();
  for await (const { position } of halyard.allEvents({ signal: leaving.signal })) {
    seen.push(position);
    if (position === log.events.length) setImmediate(() => leaving.abort());
  }
  expect(seen).toEqual(log.events.map(({ seq }: { seq: number }) => seq));
});

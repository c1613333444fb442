import { join } from "node:path";
import { expect, test } from "vitest";
import { serve, TOKEN } from "../../../test/http/served.ts";
import { openSqliteStore } from "../../stores/sqlite/store.ts";
import { SampleLog } from "../../testing/sample-log.ts";
import { Api } from "../api/api.ts";
import type { LineState } from "./line-status.ts";
import { LogWindow } from "./log-window.ts";
import { createSource } from "./source.ts";

const messages = (count: number) =>
  [...Array(count).keys()].map((index) => ({
    type: "message" as const,
    role: "assistant" as const,
    channel: "text" as const,
    messageId: `m${index}`,
    text: `Message ${index}`,
  }));

/** Opens the end of a log of ten events. While `network.fails` is true, every request of the window fails. */
async function openWindow(url: string, home: string) {
  const store = await openSqliteStore(join(home, "halyard.db"));
  const log = await SampleLog.create(store);
  await log.append(messages(10));
  const network = { fails: false };
  const send: typeof fetch = async (input, init) => {
    if (network.fails) return Response.json(LOCKED, { status: 503 });
    const headers = { ...init?.headers, authorization: `Bearer ${TOKEN}` };
    return fetch(input, { ...init, headers });
  };
  const api = new Api(new URL(url), createSource<LineState>("connecting"), send);
  const window = new LogWindow(api, log.info.id, log.info.lastSeq);
  await window.openEnd();
  return { store, log, network, api, window };
}

const LOCKED = { code: "store_locked", detail: "The store is locked. Try again." };

test("reads all events up to the new end of the log, if the window contains the old end", async () => {
  await using served = await serve();
  const { store, log, window } = await openWindow(served.url, served.home);
  await using _ = store;
  await log.append(messages(1600));
  await window.extendTo(log.info.lastSeq);
  const { last, end } = window.view.get();
  expect([last, end, window.isAtEnd]).toEqual([log.info.lastSeq, log.info.lastSeq, true]);
});

test("reads missing events when the next event arrives, if the first attempt failed", async () => {
  await using served = await serve();
  const { store, log, network, api, window } = await openWindow(served.url, served.home);
  await using _ = store;
  await log.append(messages(5));
  network.fails = true;
  await expect(window.extendTo(log.info.lastSeq)).rejects.toMatchObject({ code: "store_locked" });
  network.fails = false;
  await log.append(messages(1));
  const { lastSeq, id } = log.info;
  const { events } = await api.window(id, { after: lastSeq - 1, limit: 1 });
  window.onEvents(events);
  await expect.poll(() => window.view.get().last).toBe(lastSeq);
  expect(window.isAtEnd).toBe(true);
});

test("does not read newer events if the window does not contain the end of the log", async () => {
  await using served = await serve();
  const { store, log, api } = await openWindow(served.url, served.home);
  await using _ = store;
  await log.append(messages(1600));
  const window = new LogWindow(api, log.info.id, log.info.lastSeq);
  await window.jump(20);
  const { last } = window.view.get();
  await log.append(messages(1));
  await window.extendTo(log.info.lastSeq);
  expect(window.view.get()).toMatchObject({ last, end: log.info.lastSeq });
});

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../testing/eventually.ts";
import { Client } from "../server/client.ts";
import { EventFeed } from "./event-feed.ts";

/** Starts an event server and a feed that reads its stream. `say` sends an event, and `cut` breaks the stream. */
async function startServer() {
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url !== "/global/event" || !request.headers.authorization) return response.end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    streams.add(response);
    say("/a", { type: "server.connected", properties: {} });
  });
  const say = (directory: string, payload: unknown) => {
    for (const stream of streams)
      stream.write(`data: ${JSON.stringify({ directory, payload })}\n\n`);
  };
  const cut = () => {
    for (const stream of streams) stream.destroy();
    streams.clear();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const feed = new EventFeed(new Client(`http://127.0.0.1:${address.port}`, "pw"));
  onTestFinished(() => {
    feed.close();
    cut();
    server.close();
  });
  await feed.connected;
  return { feed, say, cut };
}

function listenTo(feed: EventFeed, sessionId: string, directory: string) {
  const received: unknown[] = [];
  const onEvent = (event: unknown) => received.push(event);
  const stop = feed.listen({
    sessionId,
    directory,
    onEvent,
    onReconnect: () => received.push("reconnected"),
  });
  return { received, stop };
}

const idle = (sessionID: string) => ({ type: "session.idle", properties: { sessionID } });

test("routes an event only to its session and directory [s0.opencode.sse]", async () => {
  const { feed, say } = await startServer();
  const [one, two] = [listenTo(feed, "ses_1", "/a"), listenTo(feed, "ses_2", "/b")];
  say("/b", idle("ses_1"));
  say("/a", idle("ses_2"));
  say("/b", idle("ses_3"));
  say("/a", { type: "file.edited", properties: { file: "x" } });
  say("/a", idle("ses_1"));
  say("/b", idle("ses_2"));
  await eventually(() => expect(two.received).toEqual([idle("ses_2")]));
  expect(one.received).toEqual([idle("ses_1")]);
});

test("routes a subagent's events to its root session", async () => {
  const { feed, say } = await startServer();
  const { received } = listenTo(feed, "ses_1", "/a");
  const created = { id: "ses_child", parentID: "ses_1" };
  const child = { type: "session.created", properties: { sessionID: "ses_child", info: created } };
  say("/a", child);
  say("/a", idle("ses_child"));
  await eventually(() => expect(received).toEqual([child, idle("ses_child")]));
});

test("reconnects a broken stream, and notifies the listeners until they are removed", async () => {
  const { feed, say, cut } = await startServer();
  const { received, stop } = listenTo(feed, "ses_1", "/a");
  cut();
  await eventually(() => expect(received).toEqual(["reconnected"]));
  say("/a", idle("ses_1"));
  await eventually(() => expect(received).toEqual(["reconnected", idle("ses_1")]));
  stop();
  say("/a", idle("ses_1"));
  const { received: others } = listenTo(feed, "ses_2", "/a");
  say("/a", idle("ses_2"));
  await eventually(() => expect(others).toHaveLength(1));
  expect(received).toHaveLength(2);
});

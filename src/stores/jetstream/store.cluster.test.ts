import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NatsServer } from "../../../test/nats/nats-server.ts";
import { describeStore } from "../../testing/describe-store.ts";
import { openJetStreamStore } from "./store.ts";

let server: NatsServer;
let connections: NatsConnection[];
let count = 0;

beforeAll(async () => {
  server = await NatsServer.start();
  connections = await Promise.all([1, 2].map(() => connect({ servers: server.url })));
});
afterAll(async () => {
  for (const connection of connections) await connection.close();
  await server[Symbol.asyncDispose]();
});

describeStore(
  "the store on JetStream",
  async () => {
    const cluster = `test-${++count}`;
    const [one, other] = connections;
    if (!one || !other) throw new Error("not connected");
    const store = await openJetStreamStore(one, { cluster });
    return {
      store,
      open: () => openJetStreamStore(other, { cluster }),
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  },
  { sparse: "a position is the sequence of a message and an index in it" },
);

test("rejects a stream that denies deletions, with the command that deletes the stream", async () => {
  const [connection] = connections;
  if (!connection) throw new Error("not connected");
  const manager = await jetstreamManager(connection);
  await manager.streams.add({
    name: "halyard-early",
    subjects: ["halyard.early.>"],
    deny_delete: true,
  });
  await expect(openJetStreamStore(connection, { cluster: "early" })).rejects.toMatchObject({
    code: "store_failed",
    message: expect.stringContaining('"nats stream rm halyard-early"'),
  });
});

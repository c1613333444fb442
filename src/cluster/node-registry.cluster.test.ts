import { connect } from "@nats-io/transport-node";
import { expect, onTestFinished, test } from "vitest";
import { NatsServer } from "../../test/nats/nats-server.ts";
import { createNatsClient } from "../stores/jetstream/nats.ts";
import type { ClusterNode } from "./node.ts";
import { NodeRegistry } from "./node-registry.ts";
import { clusterSubjects } from "./subjects.ts";

test("lists each worker once, sorted by machine, while the workers renew their leases as fast as the list is read", async () => {
  const server = await NatsServer.start();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const [reading, announcing] = [await open(server), await open(server)];
  const nodes = ["c", "b", "d", "a"].map(newNode);
  for (const node of nodes) await announcing.announce(node);
  let isOver = false;
  const renewals = nodes.map(async (node) => {
    while (!isOver) await announcing.announce(node);
  });
  for (let count = 0; count < 50; count++) {
    const listed = await reading.list({ fresh: true });
    expect(listed.map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
  }
  isOver = true;
  await Promise.all(renewals);
});

/** Opens the registry of a cluster with its own connection. */
async function open(server: NatsServer): Promise<NodeRegistry> {
  const connection = await connect({ servers: server.url });
  onTestFinished(() => connection.close());
  const options = { subjects: clusterSubjects("main"), leaseMs: 3_000, replicas: 1 };
  return NodeRegistry.open(await createNatsClient(connection), options);
}

function newNode(id: string): ClusterNode {
  return {
    id,
    machine: id,
    identity: { pid: 1, startTime: "1", bootId: "1", machine: id },
    labels: [],
    sessions: 0,
    runtimes: [],
    cordoned: false,
    draining: false,
    drained: false,
    version: "1",
  };
}

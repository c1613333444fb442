import { createHash } from "node:crypto";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll } from "vitest";
import { NatsServer } from "../../test/nats/nats-server.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { newFixture } from "../testing/halyard/fixture.ts";
import { describeHalyard } from "../testing/halyard/index.ts";
import { connectNode } from "./connect.ts";
import { clusterSubjects } from "./subjects.ts";
import { startWorker } from "./worker.ts";

let nats: NatsServer;
beforeAll(async () => {
  nats = await NatsServer.start();
});
afterAll(() => nats[Symbol.asyncDispose]());

describeHalyard("Halyard on a cluster", () => newFixture(openCluster));

/** Opens a client of a cluster with one worker. Each home belongs to a separate cluster. */
async function openCluster(home: string): Promise<Halyard> {
  const cluster = createHash("sha256").update(home).digest("hex").slice(0, 12);
  const [connection, clientConnection] = await Promise.all(
    [1, 2].map(() => connect({ servers: nats.url })),
  );
  if (!connection || !clientConnection) throw new Error("not connected");
  const worker = await startWorker(connection, {
    cluster,
    machine: "one",
    open: (store, membership) =>
      createHalyard({ home, env: {}, adapters: [fakeAdapter()], store, membership }),
    onProblem: (problem) => process.emitWarning(String(problem)),
  });
  const client = await connectNode(clientConnection, clusterSubjects(cluster).all(worker.id));
  return new Proxy(client, {
    get(target, name) {
      if (name === Symbol.asyncDispose) {
        return async () => {
          await worker[Symbol.asyncDispose]();
          await target[Symbol.asyncDispose]();
          await connection.close();
          await clientConnection.close();
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

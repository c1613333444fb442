/**
 * A worker with the runtime `fake`. Arguments: the NATS address, the cluster, the machine's name and home, the lease in
 * milliseconds, the number of replicas, and labels. Prints a line when it has joined the cluster.
 */
import { connectNats, startWorker } from "../../dist/cluster/index.js";
import { reattach } from "../../dist/daemon/reattach.js";
import { createHalyard } from "../../dist/index.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";

const [servers = "", cluster, machine = "", home, leaseMs, replicas, ...labels] =
  process.argv.slice(2);
const { env } = process;
const connection = await connectNats({ servers });
const worker = await startWorker(connection, {
  cluster,
  machine,
  labels,
  leaseMs: Number(leaseMs),
  replicas: Number(replicas),
  key: env.TEST_CLUSTER_KEY === undefined ? undefined : Buffer.from(env.TEST_CLUSTER_KEY),
  open: (store, membership) =>
    createHalyard({
      home,
      env,
      adapters: [fakeAdapter({ env })],
      store,
      membership,
      detached: true,
      onDispose: "detach",
      onStoreProblem: () => {}, // ignored, because the log waits as intended
    }),
  onProblem: (problem) => process.stderr.write(`${problem}\n`),
});
/** @param {string} line */
const log = (line) => process.stderr.write(`${machine}: ${line}\n`);
await reattach(worker.own, log, { machine });
process.once("SIGTERM", async () => {
  await worker[Symbol.asyncDispose]();
  await connection.close();
  process.exit(0);
});
process.stdout.write("joined\n");

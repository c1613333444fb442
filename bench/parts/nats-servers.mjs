import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

/** Starts three `nats-server` processes on the loopback interface that form a cluster with JetStream. */
export async function startServers() {
  const directory = await mkdtemp(join(tmpdir(), "halyard-bench-nats-"));
  const ports = await Promise.all(Array.from({ length: 6 }, freePort));
  const routes = ports.slice(3).map((port) => `nats-route://127.0.0.1:${port}`);
  const processes = ports
    .slice(0, 3)
    .map((port, index) =>
      spawn(
        "nats-server",
        [
          ...["-js", "-sd", join(directory, String(index)), "-a", "127.0.0.1", "-p", String(port)],
          ...["--cluster_name", "bench", "-n", `n${index}`, "--routes", routes.join(",")],
          ...["--cluster", `nats://127.0.0.1:${ports[index + 3]}`],
        ],
        { stdio: "ignore" },
      ),
    );
  const servers = ports.slice(0, 3).map((port) => `nats://127.0.0.1:${port}`);
  await untilReady(servers);
  return {
    servers,
    async stop() {
      for (const server of processes) {
        const exited = once(server, "exit");
        server.kill("SIGKILL");
        await exited;
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** @param {string[]} servers */
async function untilReady(servers) {
  const options = { servers, maxReconnectAttempts: 200, reconnectTimeWait: 50 };
  const connection = await connect({ ...options, waitOnFirstConnect: true });
  try {
    for (;;) {
      try {
        const manager = await jetstreamManager(connection);
        await manager.streams.add({ name: "probe", subjects: ["probe"], num_replicas: 3 });
        await manager.streams.delete("probe");
        return;
      } catch {} // the servers have no leader yet
    }
  } finally {
    await connection.close();
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  server.close();
  await once(server, "close");
  return port;
}

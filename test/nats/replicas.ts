import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { expect } from "vitest";
import type { NatsServer } from "./nats-server.ts";

/** Returns the server that is the leader of a stream. */
export async function leaderOf(
  connection: NatsConnection,
  servers: readonly NatsServer[],
  stream: string,
): Promise<NatsServer> {
  const manager = await jetstreamManager(connection);
  const { cluster } = await manager.streams.info(stream);
  const leader = servers[Number(cluster?.leader?.slice(1))];
  if (leader === undefined) throw new Error("The stream has no leader.");
  return leader;
}

/** Makes a server the leader of a stream. */
export async function makeLeader(
  connection: NatsConnection,
  servers: readonly NatsServer[],
  { stream, server }: { stream: string; server: NatsServer },
): Promise<void> {
  await expect
    .poll(async () => {
      const leader = await leaderOf(connection, servers, stream);
      if (leader === server) return true;
      await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`);
      return false;
    })
    .toBe(true);
}

/** Counts the messages that a connection sends. The returned function resolves when the server has received `count` of them. */
export function countSent(connection: NatsConnection): (count: number) => Promise<void> {
  const before = connection.stats().outMsgs;
  return async (count) => {
    const sent = () => connection.stats().outMsgs - before;
    await expect.poll(sent, { interval: 5 }).toBeGreaterThanOrEqual(count);
    await connection.flush();
  };
}

import { readFile } from "node:fs/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { unlessAborted } from "../../src/async/unless-aborted.ts";
import type { SessionId } from "../../src/schema/id.ts";
import { openJetStreamStore } from "../../src/stores/jetstream/store.ts";
import type { PendingCalls } from "./pending-calls.ts";
import type { ClusterScene } from "./scene.ts";

export interface Diagnosed {
  readonly scene: ClusterScene;
  readonly connection: NatsConnection;
  readonly sessions: readonly string[];
  readonly calls: PendingCalls;
}

/**
 * Describes a cluster whose test failed: the calls that have not returned, the machines, the processes, and the state and the last
 * events of each session. Reads the store directly, because the workers may hang.
 */
export async function diagnose({ scene, connection, sessions, calls }: Diagnosed): Promise<string> {
  const pending = calls.describe(); // before the reads below, which take time
  const machines = async () => (await scene.nodes()).map(({ machine }) => machine).join(", ");
  const servers = scene.nats.map(({ pid }, index) => [`server ${index}`, pid] as const);
  const processes = [...scene.workerPids(), ...servers];
  const lines = await Promise.all([
    describe("machines with a lease", machines()),
    ...processes.map(([name, pid]) => describe(`${name}, process ${pid}`, stateOf(pid))),
    ...sessions.map((id) => describe(id, describeSession(connection, id))),
  ]);
  return ["Pending calls:", ...pending, "Cluster:", ...lines].join("\n  ");
}

async function describe(name: string, read: Promise<string>): Promise<string> {
  try {
    return `${name}: ${await unlessAborted(read, AbortSignal.timeout(READ_MS))}`;
  } catch (error) {
    return `${name}: ${error}`;
  }
}

async function describeSession(connection: NatsConnection, id: string): Promise<string> {
  await using store = await openJetStreamStore(connection);
  const record = await store.find(id as SessionId);
  if (record === undefined) return "not found";
  const { state, machine, turn, queue, lastSeq } = record.info;
  const before = lastSeq + 1;
  const last = await store.readBefore(record.info.id, { before, limit: LAST_EVENTS });
  return [
    JSON.stringify({ state, machine, owner: record.owner, turn, queue, lastSeq }),
    ...last.map((event) => JSON.stringify(event).slice(0, EVENT_LENGTH)),
  ].join("\n    ");
}

/** Returns the state of a process as the kernel names it, for example "S (sleeping)" or "T (stopped)". */
async function stateOf(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return /^State:\s+(.*)$/m.exec(status)?.[1] ?? "exited";
}

const LAST_EVENTS = 4;
const EVENT_LENGTH = 300;
const READ_MS = 5_000;

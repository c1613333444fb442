import type { StreamInfo } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { reasonOf } from "../errors/error.ts";
import type { SessionInfo } from "../schema/session.ts";
import { isMissing } from "../stores/jetstream/errors.ts";
import { streamNames } from "../stores/jetstream/names.ts";
import { createNatsClient } from "../stores/jetstream/nats.ts";
import { connectCluster } from "./connect.ts";
import type { ClusterNode } from "./node.ts";
import { NodeRegistry } from "./node-registry.ts";
import { clusterSubjects } from "./subjects.ts";

/** A cluster's state, as seen by a client. */
export interface ClusterReport {
  readonly cluster: string;
  /** The server that the client is connected to. */
  readonly server: {
    readonly address: string;
    readonly version: string;
    readonly name: string;
    /** The number of servers that the client knows. */
    readonly count: number;
  };
  readonly streams: readonly StreamReport[];
  readonly machines: readonly ClusterNode[];
  /** The number of sessions in each state. */
  readonly sessions: Readonly<Record<string, number>>;
  /** The live sessions whose machine does not respond. */
  readonly unreachable: readonly { readonly id: string; readonly machine: string }[];
  readonly problems: readonly ClusterProblem[];
}

/** A stream of a cluster. */
export interface StreamReport {
  readonly name: string;
  readonly messages: number;
  readonly bytes: number;
  /** The maximum size in bytes, if there is a limit. */
  readonly maxBytes?: number;
  readonly replicas: number;
  /** The server that accepts writes. Absent if the servers are not clustered. */
  readonly leader?: string;
  /** The servers that do not respond. */
  readonly offline: readonly string[];
}

/** A cluster problem, and how to fix it. */
export interface ClusterProblem {
  readonly problem: string;
  readonly advice: string;
}

/** Reads the state of a cluster from its servers and from a worker. */
export async function inspectCluster(
  connection: NatsConnection,
  cluster: string,
): Promise<ClusterReport> {
  const client = await createNatsClient(connection);
  const subjects = clusterSubjects(cluster);
  const names = [streamNames(cluster).stream, subjects.nodeStream, subjects.fileStream];
  const problems: ClusterProblem[] = [];
  const streams: StreamReport[] = [];
  for (const name of names) {
    try {
      streams.push(describeStream(await client.manager.streams.info(name)));
    } catch (error) {
      problems.push(isMissing(error) ? noStream(name) : noAnswer(name, error));
    }
  }
  const registry = await NodeRegistry.connect(connection, subjects);
  const machines = await registry.list({ fresh: true }).catch((): ClusterNode[] => []);
  const sessions = machines.length > 0 ? await listSessions(connection, cluster, problems) : [];
  const info = connection.info;
  const report = {
    cluster,
    server: {
      address: connection.getServer(),
      version: info?.version ?? "unknown",
      name: info?.server_name ?? "",
      count: Math.max(1, info?.connect_urls?.length ?? 1),
    },
    streams,
    machines,
    sessions: countStates(sessions),
    unreachable: sessions.flatMap(({ id, machine = "", unreachable }) =>
      unreachable ? [{ id, machine }] : [],
    ),
  };
  return { ...report, problems: [...problems, ...findProblems(report, info?.max_payload)] };
}

async function listSessions(
  connection: NatsConnection,
  cluster: string,
  problems: ClusterProblem[],
): Promise<SessionInfo[]> {
  const halyard = await connectCluster(connection, { cluster, reconnectMs: 2_000 });
  try {
    return await halyard.sessions();
  } catch (error) {
    problems.push({
      problem: `No worker could list the sessions: ${reasonOf(error)}`,
      advice: 'Check the output of "halyard worker" on the machines.',
    });
    return [];
  } finally {
    await halyard[Symbol.asyncDispose]();
  }
}

function describeStream({ config, state, cluster }: StreamInfo): StreamReport {
  const replicas = cluster?.replicas ?? [];
  return {
    name: config.name,
    messages: state.messages,
    bytes: state.bytes,
    ...(config.max_bytes > 0 && { maxBytes: config.max_bytes }),
    replicas: config.num_replicas,
    ...(cluster?.leader && { leader: cluster.leader }),
    offline: replicas.flatMap(({ name, offline }) => (offline ? [name] : [])),
  };
}

function countStates(sessions: readonly SessionInfo[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of sessions) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

function findProblems(
  report: Omit<ClusterReport, "problems">,
  maxPayload: number | undefined,
): ClusterProblem[] {
  const { machines, streams, unreachable, server } = report;
  const problems: ClusterProblem[] = [];
  const add = (problem: string, advice: string) => void problems.push({ problem, advice });
  if (machines.length === 0)
    add("No worker holds a lease", 'Run "halyard worker --join ADDRESS" on a machine.');
  const versions = new Set(machines.map(({ version }) => version));
  if (versions.size > 1)
    add(
      `The workers have different versions: ${[...versions].join(", ")}`,
      "Install the same version on all machines.",
    );
  if (machines.length > 0 && machines.every(({ cordoned }) => cordoned))
    add(
      "No worker accepts new sessions",
      'Run "halyard --cluster ADDRESS cluster uncordon MACHINE".',
    );
  for (const { name, offline, replicas, bytes, maxBytes } of streams) {
    if (offline.length > 0)
      add(`${name}: no response from ${offline.join(", ")}`, "Start these NATS servers again.");
    if (maxBytes !== undefined && bytes > 0.9 * maxBytes)
      add(
        `${name} uses ${Math.round((100 * bytes) / maxBytes)} % of its limit`,
        'Raise the stream\'s max_bytes, or run "halyard prune".',
      );
    if (replicas === 1 && server.count >= 3)
      add(
        `${name} has one replica, although there are ${server.count} servers`,
        `Run "nats stream edit ${name} --replicas 3", or start a new cluster with --replicas 3.`,
      );
  }
  if (/^2\.[0-8]\./.test(server.version))
    add(`NATS ${server.version} is not supported`, "Install NATS 2.9 or later.");
  if (maxPayload !== undefined && maxPayload < MIN_PAYLOAD)
    add(
      `The servers accept messages of at most ${maxPayload} bytes`,
      "Set the servers' max_payload to 1 MiB or more.",
    );
  for (const { id, machine } of unreachable)
    add(
      `Session ${id} is on ${machine}, which does not respond`,
      `Run "halyard resume ${id}" to continue it on another machine, or start the worker of ${machine}.`,
    );
  return problems;
}

function noStream(name: string): ClusterProblem {
  return {
    problem: `The stream ${name} does not exist`,
    advice: "The first worker creates it. Check the address and name of the cluster.",
  };
}

function noAnswer(name: string, error: unknown): ClusterProblem {
  return {
    problem: `The stream ${name} cannot be read: ${reasonOf(error)}`,
    advice:
      "Check that a majority of the NATS servers runs with JetStream, and check the permissions of the NATS user.",
  };
}

/** The minimum payload limit that the servers must have, in bytes, because a piece of a saved file has up to 512 KiB. */
const MIN_PAYLOAD = 600 * 1024;

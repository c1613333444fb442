import type { NatsConnection } from "@nats-io/transport-node";
import { nanoid } from "nanoid";
import type { Halyard } from "../contracts/halyard.ts";
import type { Membership } from "../contracts/halyard-parts.ts";
import { isSameIdentity, type ProcessIdentity } from "../contracts/host.ts";
import type { Store } from "../contracts/store.ts";
import { ownIdentity } from "../hosts/local/process-identity.ts";
import { liveStates } from "../schema/session/session-state.ts";
import { createServer } from "../server/index.ts";
import { createNatsClient } from "../stores/jetstream/nats.ts";
import { repeatRequest } from "../stores/jetstream/repeat.ts";
import { openJetStreamStore } from "../stores/jetstream/store.ts";
import { ClusterHalyard, type ClusterView } from "./cluster-halyard.ts";
import { connectNode } from "./connect.ts";
import { drainSessions } from "./drain.ts";
import { LiveSessions } from "./live-sessions.ts";
import type { ClusterNode } from "./node.ts";
import { NodeRegistry, OPEN_MS } from "./node-registry.ts";
import { openSavedSessions } from "./saved/jetstream-saved-sessions.ts";
import { createSeal } from "./saved/seal.ts";
import { SessionsClaimedElsewhere } from "./sessions-claimed-elsewhere.ts";
import { clusterSubjects } from "./subjects.ts";
import { serveRequests } from "./transport/serve-requests.ts";

/** Options of `startWorker`. */
export interface WorkerOptions {
  /** Separates clusters on the same servers. Defaults to `"main"`. */
  readonly cluster?: string | undefined;
  /** The name of this machine. Must be unique in the cluster and must not change. */
  readonly machine: string;
  /** The labels by which sessions select this machine. Defaults to none. */
  readonly labels?: readonly string[] | undefined;
  /** The maximum number of live sessions on this machine. Defaults to no limit. */
  readonly capacity?: number | undefined;
  /** The number of servers that store each event and each saved file. Applies when the cluster is created. Defaults to 1. */
  readonly replicas?: number | undefined;
  /**
   * How long the lease of a machine is valid without a renewal, in milliseconds. Applies when the cluster is created. All
   * workers need the same value, because it also determines how often they renew the lease. Defaults to 6,000.
   */
  readonly leaseMs?: number | undefined;
  /**
   * The key with which the saved files of sessions are encrypted, at least 32 bytes. All workers need the same key. Defaults
   * to no encryption.
   */
  readonly key?: Buffer | undefined;
  /** The version of Halyard that the worker reports. Defaults to `"unknown"`. */
  readonly version?: string | undefined;
  /** Opens this machine's Halyard instance on the shared store. */
  readonly open: (store: Store, membership: Membership) => Promise<Halyard>;
  /** Called with the error if the lease could not be renewed, and with unexpected errors. */
  readonly onProblem: (problem: unknown) => void;
}

/** A process that runs sessions for a cluster. Disposing it disposes `own` and leaves the cluster. */
export interface Worker extends AsyncDisposable {
  /** The id of this process in the cluster. */
  readonly id: string;
  /** A Halyard instance with all sessions of the cluster. */
  readonly halyard: Halyard;
  /** The Halyard instance of this machine. */
  readonly own: Halyard;
  /** Returns the workers whose lease is valid. */
  nodes(): Promise<readonly ClusterNode[]>;
}

/** Joins a cluster: announces this machine, runs sessions on it, and responds to requests from the cluster. */
export async function startWorker(
  connection: NatsConnection,
  options: WorkerOptions,
): Promise<Worker> {
  const { cluster = "main", machine, replicas = 1, leaseMs = 6_000, onProblem } = options;
  const subjects = clusterSubjects(cluster);
  const client = await createNatsClient(connection);
  const store = await openJetStreamStore(connection, { cluster, replicas });
  const registry = await NodeRegistry.open(client, { subjects, leaseMs, replicas });
  const seal = options.key && createSeal(options.key);
  const savedSessions = await openSavedSessions(client, { subjects, replicas, seal });
  const identity = { ...ownIdentity(), machine };
  const id = nanoid(12).replace(/[^A-Za-z0-9]/g, "0");
  const connections = new Map<string, Promise<Halyard>>();
  const connect = (node: Pick<ClusterNode, "id">): Promise<Halyard> => {
    const known = connections.get(node.id) ?? connectNode(connection, subjects.own(node.id));
    connections.set(node.id, known);
    known.catch(() => connections.delete(node.id)); // the caller receives the error
    return known;
  };
  const nodeOf = async (owner: ProcessIdentity) =>
    (await registry.list()).find((node) => isSameIdentity(node.identity, owner));
  const claimedElsewhere = new SessionsClaimedElsewhere(machine);
  const live = new LiveSessions({ onLost: (session) => claimedElsewhere.add(session) });
  const own = await options.open(live.watch(keptOpen(store)), {
    machine,
    holdsLease: async (owner) => (await nodeOf(owner)) !== undefined,
    reach: async (owner) => {
      const node = await nodeOf(owner);
      return node && connect(node).catch(() => undefined);
    },
    isConnected: async (name) =>
      (await registry.list({ fresh: true })).some(
        (one) => one.machine === name && !one.drained, // a drained machine runs no session
      ),
    savedSessions,
  });
  let isCordoned = false;
  let draining: { readonly stop: AbortController; isDone: boolean } | undefined;
  const service = () => ({
    cordoned: isCordoned,
    draining: draining !== undefined,
    drained: draining?.isDone === true,
  });
  const describe = async (): Promise<ClusterNode> => ({
    id,
    machine,
    identity,
    labels: [...(options.labels ?? [])],
    ...(options.capacity !== undefined && { capacity: options.capacity }),
    sessions: live.count,
    runtimes: (await own.runtimes()).flatMap(({ name, availability }) =>
      availability.available ? [name] : [],
    ),
    ...service(),
    version: options.version ?? "unknown",
  });
  let node = await describe();
  const view: ClusterView = { self: id, nodes: (how) => registry.list(how), connect };
  const halyard = new ClusterHalyard(own, view);
  const servers = [
    await serve(connection, subjects.own(id), own, onProblem),
    await serve(connection, subjects.all(id), halyard, onProblem),
  ];
  const gateway = connection.subscribe(subjects.gateway, {
    queue: "gateway",
    callback: (_, message) => void message.respond(subjects.all(id)),
  });
  const announceService = async (): Promise<void> => {
    node = { ...node, ...service() };
    await registry.announce(node);
  };
  const setCordon = async (cordoned: boolean): Promise<void> => {
    isCordoned = cordoned;
    if (!cordoned) {
      draining?.stop.abort();
      draining = undefined;
    }
    await announceService();
  };
  const drain = async (): Promise<void> => {
    isCordoned = true;
    draining?.stop.abort();
    const current = { stop: new AbortController(), isDone: false };
    draining = current;
    const finish = async () => {
      await drainSessions(own, machine, current.stop.signal);
      if (current.stop.signal.aborted) return;
      current.isDone = true;
      await announceService();
    };
    void finish().catch(onProblem);
    await announceService();
  };
  const control = connection.subscribe(subjects.control(id), {
    callback: (_, message) => {
      const request = message.json<ControlRequest>();
      void ("drain" in request ? drain() : setCordon(request.cordoned))
        .then(() => message.respond())
        .catch(onProblem);
    },
  });
  await repeatRequest(connection, OPEN_MS, () => registry.announce(node));
  // Other machines may have continued sessions of this machine while it had no lease. The processes of those sessions
  // must not keep running on this machine.
  const reap = async (): Promise<void> => {
    for (const { info, owner } of await store.list({ states: liveStates }))
      if (info.machine === machine && owner !== null && owner.machine !== machine)
        claimedElsewhere.add(info.id);
    await own.reap();
  };
  // The error is only reported, because a file that cannot be deleted must not make this machine's sessions unreachable.
  await reap().catch(onProblem);
  let announcedAt = performance.now();
  const renew = async (): Promise<void> => {
    const startedAt = performance.now();
    await registry.announce(node);
    const wasLost = startedAt - announcedAt > leaseMs;
    announcedAt = startedAt;
    if (wasLost) await reap();
  };
  const lease = setInterval(() => void renew().catch(onProblem), leaseMs / 4);
  let refreshing: Promise<unknown> | undefined;
  const refresh = async (): Promise<void> => {
    if (!claimedElsewhere.isEmpty) {
      await claimedElsewhere.attach(own, onProblem);
      await reap(); // the takeover may have been incomplete when the lease was renewed
    }
    const described = await describe();
    node = { ...described, ...service() };
  };
  // Separate from the renewal of the lease, because a slow store must not delay the renewal.
  const refreshes = setInterval(() => {
    refreshing ??= refresh()
      .catch(onProblem)
      .finally(() => {
        refreshing = undefined;
      });
  }, REFRESH_MS);
  return {
    id,
    halyard,
    own,
    nodes: () => registry.list({ fresh: true }),
    async [Symbol.asyncDispose]() {
      gateway.unsubscribe();
      control.unsubscribe();
      draining?.stop.abort();
      await own[Symbol.asyncDispose]();
      clearInterval(refreshes);
      await refreshing;
      clearInterval(lease);
      for (const server of servers) await server[Symbol.asyncDispose]();
      for (const known of connections.values())
        await known.then((remote) => remote[Symbol.asyncDispose]()).catch(onProblem);
      await store[Symbol.asyncDispose]();
      await registry.withdraw(id).catch(onProblem);
    },
  };
}

/** A control request to a worker: to accept or reject new sessions, or to stop its sessions after their turns. */
type ControlRequest = { readonly cordoned: boolean } | { readonly drain: true };

/**
 * Returns the store with a no-op disposal, because responses read the last events after the Halyard instance is
 * disposed.
 */
function keptOpen(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === Symbol.asyncDispose) return async () => {};
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Responds to requests on a subject to which only members of the cluster can publish. */
function serve(
  connection: NatsConnection,
  subject: string,
  halyard: Halyard,
  onFault: (error: unknown) => void,
): Promise<AsyncDisposable> {
  const { app } = createServer(halyard, { onFault });
  const access = { isPrivate: true, isExposed: false };
  return serveRequests(connection, subject, (request) => app.fetch(request, { access }));
}

/** The interval at which the worker's load and runtimes are updated, in milliseconds. */
const REFRESH_MS = 2_000;

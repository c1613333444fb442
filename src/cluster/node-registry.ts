import type { StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { sentence } from "../errors/sentence.ts";
import { deleteLast } from "../stores/jetstream/delete-last.ts";
import { ensureStream } from "../stores/jetstream/ensure-stream.ts";
import { isMissing } from "../stores/jetstream/errors.ts";
import { createNatsClient, type NatsClient } from "../stores/jetstream/nats.ts";
import { repeatRequest } from "../stores/jetstream/repeat.ts";
import { ClusterNode } from "./node.ts";
import type { ClusterSubjects } from "./subjects.ts";

/** The options of every registry. */
export interface NodeRegistryOptions {
  readonly subjects: ClusterSubjects;
}

/** The options of a registry that may have to be created. */
export interface NewRegistryOptions extends NodeRegistryOptions {
  /**
   * How long an announcement is valid, in milliseconds, by the clocks of the NATS servers. Applies if the stream does not
   * exist yet.
   */
  readonly leaseMs: number;
  readonly replicas: number;
}

/**
 * The registry of a cluster's workers. The announcement of a worker expires if the worker does not renew it, so the
 * registry lists exactly the workers whose lease is valid.
 */
export class NodeRegistry {
  readonly #client: NatsClient;
  readonly #options: NodeRegistryOptions;
  #cached: { readonly at: number; readonly nodes: Promise<readonly ClusterNode[]> } | undefined;

  private constructor(client: NatsClient, options: NodeRegistryOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Opens the registry, and creates its stream if it does not exist. */
  static async open(client: NatsClient, options: NewRegistryOptions): Promise<NodeRegistry> {
    const { subjects, leaseMs, replicas } = options;
    const config = {
      name: subjects.nodeStream,
      subjects: [subjects.nodes],
      max_age: leaseMs * 1_000_000,
      max_msgs_per_subject: 1,
      num_replicas: replicas,
      duplicate_window: leaseMs * 1_000_000,
    };
    await ensureStream(client, config, OPEN_MS);
    return new NodeRegistry(client, options);
  }

  /** Opens the registry of a cluster without creating its stream. */
  static async connect(
    connection: NatsConnection,
    subjects: ClusterSubjects,
  ): Promise<NodeRegistry> {
    return new NodeRegistry(await createNatsClient(connection), { subjects });
  }

  /** Announces a worker, or renews its announcement. */
  async announce(node: ClusterNode): Promise<void> {
    const subject = this.#options.subjects.announcement(node.id);
    await this.#client.publisher.publish(subject, JSON.stringify(node), { timeout: 2_000 });
  }

  /** Removes the announcement of a worker that leaves the cluster. */
  async withdraw(nodeId: string): Promise<void> {
    const { subjects } = this.#options;
    const subject = subjects.announcement(nodeId);
    await deleteLast(this.#client, subjects.nodeStream, { subject });
  }

  /**
   * Returns the workers whose lease is valid, sorted by machine. The result may be up to 500 ms old unless `fresh` is set.
   * Rejects with `unreachable` if the servers do not respond.
   */
  list(options: { readonly fresh?: boolean } = {}): Promise<readonly ClusterNode[]> {
    const now = performance.now();
    const cached = this.#cached;
    if (!options.fresh && cached && now - cached.at < CACHE_MS) return cached.nodes;
    const nodes = this.#read();
    this.#cached = { at: now, nodes };
    // The callers receive the error. A failed read is not cached.
    nodes.catch(() => {
      this.#cached = undefined;
    });
    return nodes;
  }

  async #read(): Promise<readonly ClusterNode[]> {
    const { connection } = this.#client;
    try {
      const found = await repeatRequest(connection, READ_MS, () => this.#readOnce());
      return found
        .flatMap((message) => (message ? parseNode(message.data) : [])) // null if the announcement has expired
        .sort((one, other) => one.machine.localeCompare(other.machine));
    } catch (error) {
      if (isMissing(error)) return []; // the stream does not exist before the first worker has created it
      throw new HalyardError(
        "unreachable",
        `Cannot read the cluster's workers from ${connection.getServer()}: ${sentence(reasonOf(error))} Check that its NATS servers are running.`,
        { cause: error },
      );
    }
  }

  /**
   * Reads the announcements by their subjects. A consumer might never reach the end of the list: if announcements are
   * replaced while the consumer reads, NATS 2.9 reports pending messages that no longer exist.
   */
  async #readOnce(): Promise<readonly (StoredMsg | null)[]> {
    const { nodeStream, nodes } = this.#options.subjects;
    const { streams } = this.#client.manager;
    const { state } = await streams.info(nodeStream, { subjects_filter: nodes });
    const subjects = Object.keys(state.subjects ?? {});
    return Promise.all(
      subjects.map((subject) => streams.getMessage(nodeStream, { last_by_subj: subject })),
    );
  }
}

/**
 * Parses the announcement of a worker. Returns an empty list if a later version of Halyard wrote it in another format.
 */
function parseNode(data: Uint8Array): ClusterNode[] {
  const { data: node } = ClusterNode.safeParse(JSON.parse(Buffer.from(data).toString()));
  return node ? [node] : [];
}

const CACHE_MS = 500;
/** How long `list` waits while the servers elect a leader, in milliseconds. */
const READ_MS = 5_000;
/** How long a starting worker waits while the servers elect a leader, in milliseconds. */
export const OPEN_MS = 20_000;

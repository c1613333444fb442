import type { Halyard, Session } from "../contracts/halyard.ts";
import type { InspectOptions } from "../contracts/inspection.ts";
import type { EventWindow, FollowOptions, WindowOptions } from "../contracts/read-log.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { PositionedEvent, SearchOptions, SessionFilter } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import { hasEnded } from "../log/projection.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { ModelInfo } from "../schema/runtimes/model-info.ts";
import type { NativeSession, NativeSessionQuery } from "../schema/runtimes/native-session.ts";
import type { RuntimeInfo, RuntimeReport } from "../schema/runtimes/runtime-info.ts";
import type { SearchResult } from "../schema/search.ts";
import type { ProcessInfo } from "../schema/session/process.ts";
import type { PruneOptions, PruneResult } from "../schema/session/retention.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { UsageFilter, UsageReport } from "../schema/usage/usage-report.ts";
import type {
  Changes,
  ChangesQuery,
  RewindRequest,
  Rewound,
} from "../schema/workspace/checkpoint.ts";
import type {
  Adopted,
  AdoptRequest,
  PrunedWorktree,
  PruneRequest,
  WorktreeInfo,
} from "../schema/workspace/worktree.ts";
import { clusterRaces } from "./cluster-races.ts";
import { machineMetrics } from "./machine-metrics.ts";
import type { ClusterNode } from "./node.ts";
import { isSelected, type PlacementRequest, placeSession } from "./placement.ts";

/** A cluster's workers, as seen from one of them. */
export interface ClusterView {
  /** The id of this worker. */
  readonly self: string;
  /** Returns the workers whose lease is valid. The result may be up to 500 ms old unless `fresh` is set. */
  nodes(options?: { readonly fresh?: boolean }): Promise<readonly ClusterNode[]>;
  /** Connects to the Halyard instance of a worker. */
  connect(node: ClusterNode): Promise<Halyard>;
}

/**
 * All sessions of a cluster, as one of its workers provides them. Reads the shared log directly, and forwards commands
 * to the machine that stores the session's files.
 */
export class ClusterHalyard implements Halyard {
  readonly #own: Halyard;
  readonly #view: ClusterView;
  readonly races: Halyard["races"] = clusterRaces({
    place: (request) => this.#place(request),
    nodes: async () => Promise.all((await this.#view.nodes()).map((node) => this.#at(node))),
  });

  constructor(own: Halyard, view: ClusterView) {
    this.#own = own;
    this.#view = view;
  }

  async runtimes(): Promise<RuntimeInfo[]> {
    const lists = await this.#everywhere((halyard) => halyard.runtimes());
    const merged = new Map<string, RuntimeInfo>();
    for (const runtime of lists.flat()) {
      const known = merged.get(runtime.name);
      if (!known?.availability.available) merged.set(runtime.name, runtime);
    }
    return [...merged.values()];
  }

  async inspect(runtime: RuntimeName, options?: InspectOptions): Promise<RuntimeReport> {
    return (await this.#with(runtime)).inspect(runtime, options);
  }

  async models(runtime: RuntimeName): Promise<ModelInfo[]> {
    return (await this.#with(runtime)).models(runtime);
  }

  /** Lists the native sessions of this machine, or of a machine with the name or label `on`. */
  async nativeSessions(
    runtime: RuntimeName,
    { on, ...query }: NativeSessionQuery = {},
  ): Promise<NativeSession[]> {
    const there = on === undefined ? this.#own : await this.#place({ on, runtime });
    return there.nativeSessions(runtime, query);
  }

  async start(request: StartRequest): Promise<Session> {
    const { on, ...local } = request;
    if (on === undefined && request.continuedFrom !== undefined) return this.#own.start(local);
    const parent = request.parent && (await this.#own.find(request.parent));
    const machine = on ?? (parent ? parent.machine : undefined);
    return (await this.#place({ on: machine, runtime: request.runtime })).start(local);
  }

  async resume(id: string, { on, ...options }: ResumeOptions = {}): Promise<Session> {
    const nodes = await this.#view.nodes({ fresh: true });
    const { node, info } = await this.#holder(id, nodes);
    if (info === undefined || info.machine === undefined) return this.#own.resume(id, options);
    if (node && !node.drained) {
      if (on === undefined || isSelected(node, on))
        return (await this.#at(node)).resume(id, options);
      if (!hasEnded(info)) throw stillRuns(id, info.machine);
    }
    // The session's machine does not respond or is drained, or the caller chose another machine. The chosen machine
    // continues from the last saved turn.
    return (await this.#place({ on, runtime: info.runtime })).resume(id, options);
  }

  async session(id: string): Promise<Session> {
    return (await this.#of(id)).session(id);
  }

  async stop(id: string, reason?: string): Promise<void> {
    return (await this.#of(id)).stop(id, reason);
  }

  async find(id: string): Promise<SessionInfo | undefined> {
    const found = await this.#own.find(id);
    return found && (await this.#marked([found]))[0];
  }

  async sessions(filter?: SessionFilter): Promise<SessionInfo[]> {
    return this.#marked(await this.#own.sessions(filter));
  }

  events(id: string, options?: FollowOptions): AsyncIterable<StreamEvent> {
    return this.#own.events(id, options);
  }

  allEvents(options?: FollowOptions): AsyncIterable<PositionedEvent> {
    return this.#own.allEvents(options);
  }

  batches(id: string, options?: FollowOptions): AsyncIterable<readonly StreamEvent[]> {
    return this.#own.batches(id, options);
  }

  window(id: string, options?: WindowOptions): Promise<EventWindow> {
    return this.#own.window(id, options);
  }

  position(): Promise<number> {
    return this.#own.position();
  }

  search(query: string, options?: SearchOptions): Promise<SearchResult> {
    return this.#own.search(query, options);
  }

  usage(filter?: UsageFilter): Promise<UsageReport> {
    return this.#own.usage(filter);
  }

  readonly limits: Halyard["limits"] = () => this.#own.limits();

  /** Returns the metrics of this process, which cover all sessions in the shared log, and the metrics of all machines. */
  readonly metrics: Halyard["metrics"] = async () =>
    `${await this.#own.metrics()}${machineMetrics(await this.#view.nodes())}`;

  readonly screen: Halyard["screen"] = async (id) => (await this.#of(id)).screen(id);

  readonly explain: Halyard["explain"] = (request) => this.#own.explain(request);

  async update(id: string, changes: SessionChanges): Promise<SessionInfo> {
    return (await this.#of(id)).update(id, changes);
  }

  async changes(id: string, query?: ChangesQuery): Promise<Changes> {
    return (await this.#of(id)).changes(id, query);
  }

  async rewind(id: string, request: RewindRequest): Promise<Rewound> {
    return (await this.#of(id)).rewind(id, request);
  }

  /**
   * Removes a session. If its machine does not respond, this machine removes the log and the saved files. The other
   * machine removes its own files when it rejoins the cluster.
   */
  async remove(id: string): Promise<void> {
    const { node } = await this.#holder(id, await this.#view.nodes({ fresh: true }));
    return (node ? await this.#at(node) : this.#own).remove(id);
  }

  async prune(options: PruneOptions): Promise<PruneResult> {
    const results = await this.#everywhere((halyard) => halyard.prune(options));
    return {
      removed: results.flatMap(({ removed }) => removed),
      freedBytes: results.reduce((sum, { freedBytes }) => sum + freedBytes, 0),
      problems: results.flatMap(({ problems }) => problems),
      hasMore: results.some(({ hasMore }) => hasMore),
    };
  }

  async processes(): Promise<ProcessInfo[]> {
    return (await this.#everywhere((halyard) => halyard.processes())).flat();
  }

  async reap(): Promise<ProcessInfo[]> {
    return (await this.#everywhere((halyard) => halyard.reap())).flat();
  }

  async worktrees(): Promise<WorktreeInfo[]> {
    return (await this.#everywhere((halyard) => halyard.worktrees())).flat();
  }

  async pruneWorktrees(request?: PruneRequest): Promise<PrunedWorktree[]> {
    return (await this.#everywhere((halyard) => halyard.pruneWorktrees(request))).flat();
  }

  async adopt(id: string, request: AdoptRequest): Promise<Adopted> {
    return (await this.#of(id)).adopt(id, request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#own[Symbol.asyncDispose]();
  }

  /**
   * Returns the Halyard instance of a session's machine. If the machine does not respond, rejects for a live session, and
   * otherwise returns the instance of this machine.
   */
  async #of(id: string): Promise<Halyard> {
    const { node, info } = await this.#holder(id);
    if (node) return this.#at(node);
    if (info?.machine !== undefined && !hasEnded(info)) throw unreachable(id, info.machine);
    return this.#own;
  }

  async #holder(
    id: string,
    known?: readonly ClusterNode[],
  ): Promise<{ node?: ClusterNode; info?: SessionInfo }> {
    const info = await this.#own.find(id);
    if (info?.machine === undefined) return info ? { info } : {};
    const all = known ?? (await this.#view.nodes());
    const nodes = all.filter(({ machine }) => machine === info.machine);
    const node = nodes.find(({ id }) => id === this.#view.self) ?? nodes[0];
    return node ? { node, info } : { info };
  }

  /** Returns the Halyard instance of a machine on which a runtime is available, or of this machine if there is none. */
  async #with(runtime: RuntimeName): Promise<Halyard> {
    const nodes = await this.#view.nodes();
    const capable = nodes.find(({ runtimes }) => runtimes.includes(runtime));
    return capable ? this.#at(capable) : this.#own;
  }

  async #place(request: PlacementRequest): Promise<Halyard> {
    const prefers = this.#view.self;
    const [best] = placeSession(await this.#view.nodes(), { ...request, prefers });
    return best ? this.#at(best) : this.#own;
  }

  async #at(node: ClusterNode): Promise<Halyard> {
    return node.id === this.#view.self ? this.#own : this.#view.connect(node);
  }

  /** Calls `ask` on every machine. Omits machines that do not respond or whose call fails. */
  async #everywhere<T>(ask: (halyard: Halyard) => Promise<T>): Promise<T[]> {
    const nodes = await this.#view.nodes();
    const machines = new Map(nodes.map((node) => [node.machine, node]));
    const answers = await Promise.allSettled(
      [...machines.values()].map(async (node) => ask(await this.#at(node))),
    );
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  }

  /** Marks the live sessions whose machine does not respond. */
  async #marked(sessions: readonly SessionInfo[]): Promise<SessionInfo[]> {
    const isRemote = ({ machine }: SessionInfo) => machine !== undefined;
    if (!sessions.some(isRemote)) return [...sessions];
    const machines = new Set((await this.#view.nodes()).map(({ machine }) => machine));
    return sessions.map((info) =>
      info.machine === undefined || hasEnded(info) || machines.has(info.machine)
        ? info
        : { ...info, unreachable: true },
    );
  }
}

function stillRuns(id: string, machine: string): HalyardError {
  return new HalyardError(
    "conflict",
    `Session ${id} runs on ${machine}. Run "halyard stop ${id}", then "halyard resume ${id} --on MACHINE" to continue it on another machine.`,
  );
}

function unreachable(id: string, machine: string): HalyardError {
  return new HalyardError(
    "machine_unreachable",
    `The machine ${machine}, which holds the files of ${id}, does not respond. Run "halyard resume ${id}" to continue the session on another machine from its last saved turn, or run "halyard worker --join ADDRESS" on ${machine} again.`,
  );
}

import type { Halyard, Session } from "../contracts/halyard.ts";
import type { InspectOptions } from "../contracts/inspection.ts";
import type { EventWindow, FollowOptions, WindowOptions } from "../contracts/read-log.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { PositionedEvent, SearchOptions, SessionFilter } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { ModelInfo } from "../schema/runtimes/model-info.ts";
import type { NativeSession, NativeSessionQuery } from "../schema/runtimes/native-session.ts";
import type { RuntimeInfo, RuntimeReport } from "../schema/runtimes/runtime-info.ts";
import { inOrder, type SearchResult } from "../schema/search.ts";
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
import { JoinedEvents } from "./joined-events.ts";
import { onMachine } from "./on-machine.ts";
import { type JoinedHost, type JoinedOptions, ReachedHosts } from "./reached-hosts.ts";

/**
 * Joins the sessions of this machine and of other machines in one list. Sends a command for a session to the machine
 * that has the session. Starts sessions and lists native sessions on the machine that `on` names. Lists of sessions,
 * searches and events cover all machines. All other operations, such as runtimes, processes, worktrees, races and usage,
 * cover only this machine.
 */
export class JoinedHalyard implements Halyard {
  readonly #own: Halyard;
  readonly #hosts: readonly JoinedHost[];
  readonly #reached: ReachedHosts;
  readonly #events: JoinedEvents;
  /** The host of each session that was listed or found, by session id. */
  readonly #hostOf = new Map<string, JoinedHost>();

  constructor(own: Halyard, hosts: readonly JoinedHost[], options: JoinedOptions) {
    this.#own = own;
    this.#hosts = hosts;
    this.#reached = new ReachedHosts(options);
    this.#events = new JoinedEvents(own, hosts, this.#reached);
  }

  get home(): string | undefined {
    return this.#own.home;
  }

  async start(request: StartRequest): Promise<Session> {
    const { on, ...rest } = request;
    if (on === undefined) return this.#own.start(request);
    return onMachine(await (await this.#named(on)).start(rest), on);
  }

  /** Returns the `Halyard` of the host with this name. Rejects if there is none, or if the host does not respond. */
  async #named(on: string): Promise<Halyard> {
    const host = this.#hosts.find(({ name }) => name === on);
    if (host) return this.#reached.connect(host);
    throw new HalyardError(
      "no_machine",
      `No machine is named "${on}". Machines: ${this.#hosts.map(({ name }) => name).join(", ")}. Run "halyard host add ${on} ssh://user@host" to add it.`,
    );
  }

  async resume(id: string, options?: ResumeOptions): Promise<Session> {
    if (options?.on !== undefined)
      throw new HalyardError(
        "unsupported",
        `Session ${id} cannot move to "${options.on}", because only a cluster can move sessions between machines. Run "halyard resume ${id}" to continue it on its own machine.`,
      );
    return this.#opened(id, (halyard) => halyard.resume(id, options));
  }

  async session(id: string): Promise<Session> {
    return this.#opened(id, (halyard) => halyard.session(id));
  }

  async stop(id: string, reason?: string): Promise<void> {
    return (await this.#of(id)).stop(id, reason);
  }

  async find(id: string): Promise<SessionInfo | undefined> {
    const known = this.#hostOf.get(id);
    const own = known ? undefined : await this.#own.find(id);
    if (own) return own;
    const [found] = await this.#reached.ask(
      known ? [known] : this.#hosts,
      async (halyard, host) => {
        const info = await halyard.find(id);
        return info ? [this.#placed(info, host)] : [];
      },
      { isPatient: known !== undefined }, // because no other host has the session
    );
    return found;
  }

  async sessions(filter: SessionFilter = {}): Promise<SessionInfo[]> {
    const { offset = 0, limit, ...rest } = filter;
    // Each machine returns as many sessions as the merged list may contain.
    const part = { ...rest, ...(limit !== undefined && { limit: offset + limit }) };
    const [own, remote] = await Promise.all([
      this.#own.sessions(part),
      this.#reached.ask(this.#hosts, async (halyard, host) =>
        (await halyard.sessions(part)).map((info) => this.#placed(info, host)),
      ),
    ]);
    if (remote.length === 0) return own.slice(offset);
    const merged = [...own, ...remote].sort((one, other) =>
      other.createdAt.localeCompare(one.createdAt),
    );
    return merged.slice(offset, limit === undefined ? undefined : offset + limit);
  }

  async *events(id: string, options?: FollowOptions): AsyncGenerator<StreamEvent> {
    yield* (await this.#of(id)).events(id, options);
  }

  async *batches(id: string, options?: FollowOptions): AsyncGenerator<readonly StreamEvent[]> {
    yield* (await this.#of(id)).batches(id, options);
  }

  async window(id: string, options?: WindowOptions): Promise<EventWindow> {
    return (await this.#of(id)).window(id, options);
  }

  /** Searches all machines. If `before` is set, searches only this machine, because `before` is a position in its log. */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    const { limit = DEFAULT_HITS, before, ...everywhere } = options;
    if (before !== undefined) return this.#own.search(query, options);
    const results = await Promise.all([
      this.#own.search(query, options).then((result) => [result]),
      this.#reached.ask(this.#hosts, async (halyard, host) => {
        const result = await halyard.search(query, { ...everywhere, limit });
        for (const { sessionId } of result.hits) this.#hostOf.set(sessionId, host);
        return [result];
      }),
    ]);
    const hits = results.flat().flatMap((result) => result.hits);
    const newestFirst = hits.sort((one, other) => other.at.localeCompare(one.at));
    return {
      hits: inOrder(newestFirst, options.order).slice(0, limit),
      pending: results.flat().reduce((sum, { pending }) => sum + pending, 0),
    };
  }

  readonly screen: Halyard["screen"] = async (id) => (await this.#of(id)).screen(id);

  async update(id: string, changes: SessionChanges): Promise<SessionInfo> {
    return (await this.#of(id)).update(id, changes);
  }

  async changes(id: string, query?: ChangesQuery): Promise<Changes> {
    return (await this.#of(id)).changes(id, query);
  }

  async rewind(id: string, request: RewindRequest): Promise<Rewound> {
    return (await this.#of(id)).rewind(id, request);
  }

  async remove(id: string): Promise<void> {
    return (await this.#of(id)).remove(id);
  }

  /** Applies a session's changes to a directory on this machine. Rejects if the session is on another machine. */
  async adopt(id: string, request: AdoptRequest): Promise<Adopted> {
    const { machine } = (await this.find(id)) ?? {};
    if (!this.#hostOf.has(id)) return this.#own.adopt(id, request);
    throw new HalyardError(
      "unsupported",
      `The worktree of ${id} is on ${machine}. Run "halyard pull ${id}" to copy its changes to this machine.`,
    );
  }

  runtimes(): Promise<RuntimeInfo[]> {
    return this.#own.runtimes();
  }

  inspect(runtime: RuntimeName, options?: InspectOptions): Promise<RuntimeReport> {
    return this.#own.inspect(runtime, options);
  }

  models(runtime: RuntimeName): Promise<ModelInfo[]> {
    return this.#own.models(runtime);
  }

  /** Lists the native sessions of this machine, or of the host that the query names. */
  async nativeSessions(
    runtime: RuntimeName,
    { on, ...query }: NativeSessionQuery = {},
  ): Promise<NativeSession[]> {
    const there = on === undefined ? this.#own : await this.#named(on);
    return there.nativeSessions(runtime, query);
  }

  allEvents(options: FollowOptions = {}): AsyncIterable<PositionedEvent> {
    return this.#events.follow(options);
  }

  position(): Promise<number> {
    return this.#events.position();
  }

  usage(filter?: UsageFilter): Promise<UsageReport> {
    return this.#own.usage(filter);
  }

  readonly limits: Halyard["limits"] = () => this.#own.limits();

  readonly metrics: Halyard["metrics"] = () => this.#own.metrics();

  get races(): Halyard["races"] {
    return this.#own.races;
  }

  readonly explain: Halyard["explain"] = (request) => this.#own.explain(request);

  prune(options: PruneOptions): Promise<PruneResult> {
    return this.#own.prune(options);
  }

  processes(): Promise<ProcessInfo[]> {
    return this.#own.processes();
  }

  reap(): Promise<ProcessInfo[]> {
    return this.#own.reap();
  }

  worktrees(): Promise<WorktreeInfo[]> {
    return this.#own.worktrees();
  }

  pruneWorktrees(request?: PruneRequest): Promise<PrunedWorktree[]> {
    return this.#own.pruneWorktrees(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reached[Symbol.asyncDispose]();
    await this.#own[Symbol.asyncDispose]();
  }

  async #opened(id: string, open: (halyard: Halyard) => Promise<Session>): Promise<Session> {
    const session = await open(await this.#of(id));
    const host = this.#hostOf.get(id);
    return host ? onMachine(session, host.name) : session;
  }

  /** Returns the `Halyard` of the machine that has the session, or the local one if no machine has it. */
  async #of(id: string): Promise<Halyard> {
    if (!this.#hostOf.has(id)) await this.find(id);
    const host = this.#hostOf.get(id);
    return host ? this.#reached.connect(host) : this.#own;
  }

  #placed(info: SessionInfo, host: JoinedHost): SessionInfo {
    this.#hostOf.set(info.id, host);
    return { ...info, machine: host.name };
  }
}

const DEFAULT_HITS = 20;

import { anySignal } from "../async/any-signal.ts";
import type { Halyard, Session } from "../contracts/halyard.ts";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { InspectOptions } from "../contracts/inspection.ts";
import type { EventWindow, FollowOptions, WindowOptions } from "../contracts/read-log.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { SessionRequest } from "../contracts/session-request.ts";
import type { PositionedEvent, SearchOptions, SessionFilter, Writer } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import { isSessionId, requireSessionId } from "../errors/require-id.ts";
import { forkRequest } from "../halyard/fork.ts";
import { changesIn } from "../halyard/resume-request.ts";
import { followAll } from "../log/follow-all.ts";
import type { ForkOptions } from "../schema/conversation/fork-options.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { RuntimeInfo, RuntimeReport } from "../schema/runtimes/runtime-info.ts";
import type { SearchResult } from "../schema/search.ts";
import { PruneOptions, type PruneResult } from "../schema/session/retention.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import type { SessionInfo } from "../schema/session.ts";
import { accountLimits } from "../schema/usage/account-limits.ts";
import { addUpUsage } from "../schema/usage/add-up-usage.ts";
import { UsageFilter, type UsageReport } from "../schema/usage/usage-report.ts";
import type { AccountLimits } from "../schema/usage-limit.ts";
import type {
  Changes,
  ChangesQuery,
  RewindRequest,
  Rewound,
} from "../schema/workspace/checkpoint.ts";
import { withLogServer } from "../session/handed-off.ts";
import { type Opening, openSession } from "../session/open-session.ts";
import { ofRunning, type ProjectTrust } from "../session/project-trust.ts";
import { reachOwner, requireRecord } from "../session/recovery/claim.ts";
import { recoverSessions } from "../session/recovery/recovery.ts";
import { releaseSession } from "../session/recovery/release-session.ts";
import { stopUnowned } from "../session/recovery/stop-unowned.ts";
import type { LiveSession } from "../session/session.ts";
import { oneByOne } from "../wire/one-by-one.ts";
import { explainStart } from "./explain.ts";
import { listModels } from "./list-models.ts";
import { listNativeSessions } from "./native-sessions.ts";
import { newSession } from "./new-session.ts";
import { listProcesses, reapProcesses } from "./owned-processes.ts";
import { prune } from "./prune.ts";
import { querySessions, reachSession, readWindow, searchEvents, storedBatches } from "./queries.ts";
import { InProcessRaces } from "./race/races.ts";
import { stopAndRemove } from "./remove-record.ts";
import { reopenSession } from "./reopen-session.ts";
import { inspectRuntime, listRuntimes, requireAdapterOn } from "./runtimes.ts";
import { readScreen } from "./screen.ts";
import { changesOf, rewindSession } from "./session-files.ts";
import { updateSession } from "./update-session.ts";
import { adopt, listWorktrees, pruneWorktrees, withPorts } from "./worktrees.ts";

/** The `Halyard` that runs sessions in this process. */
export class InProcessHalyard implements Halyard {
  readonly #parts: HalyardParts;
  readonly #live = new Map<SessionId, LiveSession>();
  readonly #opening = new Map<SessionId, Promise<LiveSession>>();
  /** Aborted on disposal, which ends all readers. */
  readonly #closing = new AbortController();
  readonly races: InProcessRaces;
  #disposing: Promise<void> | undefined;

  private constructor(parts: HalyardParts) {
    this.#parts = parts;
    this.races = new InProcessRaces(this, parts.env);
  }

  get home(): string | undefined {
    return this.#parts.home;
  }

  /** Recovers the sessions whose owning process died, and returns a new instance. */
  static async open(parts: HalyardParts): Promise<InProcessHalyard> {
    await recoverSessions(parts);
    return new InProcessHalyard(parts);
  }

  runtimes(): Promise<RuntimeInfo[]> {
    return listRuntimes(this.#parts.adapters);
  }

  inspect(runtime: RuntimeName, options?: InspectOptions): Promise<RuntimeReport> {
    const { adapters, hosts, env = {} } = this.#parts;
    return inspectRuntime(adapters, runtime, { host: hosts.get("local"), env }, options);
  }

  readonly models: Halyard["models"] = (runtime) => listModels(this.#parts, runtime);

  readonly nativeSessions: Halyard["nativeSessions"] = (runtime, query = {}) =>
    listNativeSessions(this.#parts, runtime, query);

  async start(input: StartRequest): Promise<Session> {
    this.#requireOpen();
    const { request, info, writer, ...how } = await newSession(this.#parts, input);
    return this.#whileOpening(info.id, this.#open(request, info, writer, how));
  }

  async resume(text: string, options: ResumeOptions = {}): Promise<Session> {
    this.#requireOpen();
    const id = requireSessionId(text);
    const wasOpen = this.#live.has(id) || this.#opening.has(id);
    const session = await (this.#opening.get(id) ??
      this.#whileOpening(id, this.#resume(id, options)));
    try {
      const changes = changesIn(session.info, options);
      if (changes) await this.update(id, changes);
    } catch (error) {
      if (!wasOpen) await releaseSession(session, "detach");
      throw error;
    }
    return session;
  }

  async #resume(id: SessionId, options: ResumeOptions): Promise<LiveSession> {
    const held = this.#live.get(id);
    if (held && !held.isEnding) return held;
    await held?.ended();
    const { request, info, writer, ...how } = await reopenSession(this.#parts, id, options);
    return this.#open(request, info, writer, how);
  }

  async session(text: string): Promise<Session> {
    const id = requireSessionId(text);
    return (await this.#held(id)) ?? reachSession(this.#parts, id);
  }

  async stop(text: string, reason = "stopped"): Promise<void> {
    const id = requireSessionId(text);
    const held = await this.#held(id);
    if (held) return held.stop(reason);
    const owner = await reachOwner(this.#parts, await requireRecord(this.#parts, id));
    if (owner) await owner.stop(id, reason);
    else await stopUnowned(this.#parts, id, reason, () => this.resume(id));
  }

  async find(id: string): Promise<SessionInfo | undefined> {
    if (!isSessionId(id)) return undefined;
    return this.#live.get(id)?.info ?? (await this.#parts.store.find(id))?.info;
  }

  sessions(filter?: SessionFilter): Promise<SessionInfo[]> {
    return querySessions(this.#parts, filter);
  }

  events(id: string, options: FollowOptions = {}): AsyncGenerator<StreamEvent> {
    return oneByOne(this.batches(id, options), options.signal);
  }

  batches(id: string, options: FollowOptions = {}): AsyncIterable<readonly StreamEvent[]> {
    const held = isSessionId(id) ? this.#live.get(id) : undefined;
    return held?.batches(options) ?? storedBatches(this.#parts, id, options);
  }

  allEvents(options: FollowOptions = {}): AsyncIterable<PositionedEvent> {
    const signal = anySignal([this.#closing.signal, options.signal ?? []].flat());
    return followAll(this.#parts.store, { ...options, signal });
  }

  window(id: string, options: WindowOptions = {}): Promise<EventWindow> {
    return readWindow(this.#parts, id, options);
  }

  position(): Promise<number> {
    return this.#parts.store.lastPosition();
  }

  search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    return searchEvents(this.#parts, query, options);
  }

  readonly screen: Halyard["screen"] = (id) => readScreen(this.#parts, id);

  readonly explain: Halyard["explain"] = (request) => explainStart(this.#parts, request);

  async usage(filter: UsageFilter = {}): Promise<UsageReport> {
    return addUpUsage(await this.sessions(), parseInput(UsageFilter, filter));
  }

  async limits(): Promise<AccountLimits[]> {
    return accountLimits(await this.sessions(), this.#parts.clock.now());
  }

  async metrics(): Promise<string> {
    return (await this.#parts.metrics?.()) ?? "";
  }

  async update(id: string, changes: SessionChanges): Promise<SessionInfo> {
    this.#requireOpen();
    return updateSession(this.#parts, (known) => this.#live.get(known), id, changes);
  }

  changes(id: string, query: ChangesQuery = {}): Promise<Changes> {
    return changesOf(this.#parts, (known) => this.#held(known), id, query);
  }

  async rewind(id: string, request: RewindRequest): Promise<Rewound> {
    this.#requireOpen();
    return rewindSession(this.#parts, (known) => this.#held(known), id, request);
  }

  async remove(text: string): Promise<void> {
    const id = requireSessionId(text);
    await stopAndRemove(this.#parts, id, await this.#held(id));
  }

  async prune(options: PruneOptions): Promise<PruneResult> {
    this.#requireOpen();
    return prune(this.#parts, parseInput(PruneOptions, options));
  }

  readonly processes: Halyard["processes"] = () => listProcesses(this.#parts);

  readonly reap: Halyard["reap"] = () => reapProcesses(this.#parts);

  readonly worktrees: Halyard["worktrees"] = () => listWorktrees(this.#parts);

  readonly pruneWorktrees: Halyard["pruneWorktrees"] = (request) =>
    pruneWorktrees(this.#parts, request);

  readonly adopt: Halyard["adopt"] = async (id, request) =>
    adopt(this.#parts, requireSessionId(id), request);

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposing ??= this.#dispose();
    return this.#disposing;
  }

  async #dispose(): Promise<void> {
    const { onDispose = "stop", store, audience, owners, workspaces } = this.#parts;
    await this.races[Symbol.asyncDispose]();
    await Promise.allSettled(this.#opening.values());
    await Promise.all(
      [...this.#live.values()].map((session) => releaseSession(session, onDispose)),
    );
    this.#closing.abort();
    await owners?.[Symbol.asyncDispose]();
    await audience?.[Symbol.asyncDispose]();
    await workspaces?.[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  }

  #requireOpen(): void {
    if (this.#disposing !== undefined)
      throw new HalyardError(
        "invalid_input",
        'This Halyard instance has been disposed. Call "createHalyard" to create another instance.',
      );
  }

  /** Returns the session if this process runs it. Waits if the session is being opened. */
  async #held(id: SessionId): Promise<LiveSession | undefined> {
    await this.#opening.get(id)?.catch(() => {}); // the caller that opens the session receives the error
    return this.#live.get(id);
  }

  /** Registers a session that is being opened. All callers await the same promise and continue in call order. */
  #whileOpening(id: SessionId, opening: Promise<LiveSession>): Promise<LiveSession> {
    const opened = opening.finally(() => this.#opening.delete(id));
    this.#opening.set(id, opened);
    return opened;
  }

  async #open(
    request: SessionRequest,
    info: SessionInfo,
    writer: Writer,
    { opening, project = ofRunning }: { opening: Opening; project?: ProjectTrust },
  ): Promise<LiveSession> {
    const own = await this.#parts.adapters.load(info.runtime, info.host, request.credentials);
    let isOver = false;
    const onRelease = ({ isRecorded }: { isRecorded: boolean }) => {
      isOver = true;
      this.#live.delete(info.id);
      if (!isRecorded) this.#parts.abandoned.add(info.id);
    };
    const fork = (options: ForkOptions) =>
      this.start(forkRequest(this.#live.get(info.id)?.info ?? info, options, request));
    const session = await openSession(this.#parts, {
      adapter: requireAdapterOn(info.host, own),
      request: withLogServer(this.#parts, withPorts(request, info), info),
      info,
      writer,
      opening,
      project,
      onRelease,
      halyard: this,
      fork,
    });
    if (!isOver) this.#live.set(info.id, session);
    if (opening.opened !== "started") await session.ready();
    return session;
  }
}

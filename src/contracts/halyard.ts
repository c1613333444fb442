import type { MessageInput } from "../schema/attachment.ts";
import type { ForkOptions } from "../schema/conversation/fork-options.ts";
import type { SlashCommand } from "../schema/conversation/slash-command.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId } from "../schema/id.ts";
import type { Answer } from "../schema/permission.ts";
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
import type { AccountLimits } from "../schema/usage-limit.ts";
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
import type { Inspection, InspectOptions } from "./inspection.ts";
import type { Races } from "./races.ts";
import type { EventWindow, FollowOptions, WindowOptions } from "./read-log.ts";
import type { ResumeOptions } from "./resume-options.ts";
import type { PositionedEvent, SearchOptions, SessionFilter } from "./store.ts";
import type { CompactOptions, InterruptOptions, SendOptions, Turn } from "./turn.ts";

/**
 * Runs coding agents, in this process or on a server. Both implementations behave the same. Ids may be any string: a
 * malformed session id rejects with `session_not_found`.
 */
export interface Halyard extends AsyncDisposable, Inspection {
  /**
   * The directory of the store. Undefined for a client of a server and for an in-memory store.
   * @example const isShared = halyard.home !== undefined;
   */
  readonly home?: string | undefined;
  /**
   * Lists all runtimes, including those that are not available on this machine.
   * @example const names = (await halyard.runtimes()).map(({ name }) => name);
   */
  runtimes(): Promise<RuntimeInfo[]>;
  /**
   * Inspects one runtime: where its program is, whether it is signed in, and what to do if it is not usable.
   * @example const { usable, advice } = await halyard.inspect("codex");
   */
  inspect(runtime: RuntimeName, options?: InspectOptions): Promise<RuntimeReport>;
  /**
   * Lists the models that a runtime offers with the user's sign-in. Rejects with `unsupported` if the runtime has no list.
   * @example const ids = (await halyard.models("codex")).map(({ id }) => id);
   */
  models(runtime: RuntimeName): Promise<ModelInfo[]>;
  /**
   * Lists the sessions that a runtime recorded without Halyard, newest first. `start` continues one of them if
   * `continuedFrom` is its id. Rejects with `unsupported` if the runtime has no list.
   * @example const [newest] = await halyard.nativeSessions("codex", { cwd: "/home/me/project" });
   */
  nativeSessions(runtime: RuntimeName, query?: NativeSessionQuery): Promise<NativeSession[]>;
  /**
   * Starts a session. Resolves when the session is stored and its runtime has started; `session.ready()` resolves when
   * the runtime accepts messages.
   * @example const session = await halyard.start({ runtime: "claude", cwd: "/home/me/project" });
   */
  start<Runtime extends RuntimeName>(request: StartRequest<Runtime>): Promise<Session>;
  /**
   * Attaches to a runtime that is still running, or starts the runtime again and continues from its own record. Never
   * starts a new conversation.
   * @example const session = await halyard.resume("ses_0123456789abcdef");
   */
  resume(id: string, options?: ResumeOptions): Promise<Session>;
  /**
   * Returns a running session. Otherwise rejects with `session_stopped`, or with `session_owned` if its owner accepts no commands.
   * @example const session = await halyard.session("ses_0123456789abcdef");
   */
  session(id: string): Promise<Session>;
  /**
   * Stops a session, its runtime and all processes that the runtime started, even if no process owns the session. Has
   * no effect if the session has already ended.
   * @example await halyard.stop("ses_0123456789abcdef", "no longer needed");
   */
  stop(id: string, reason?: string): Promise<void>;
  /**
   * Returns the state of a session, or undefined if there is no such session.
   * @example const info = await halyard.find("ses_0123456789abcdef");
   */
  find(id: string): Promise<SessionInfo | undefined>;
  /**
   * Lists sessions, newest first.
   * @example const running = await halyard.sessions({ states: ["idle", "running"] });
   */
  sessions(filter?: SessionFilter): Promise<SessionInfo[]>;
  /**
   * Reads the events of one session in order of `seq`, and follows the log until the session ends.
   * @example for await (const event of halyard.events(id)) console.log(event.type);
   */
  events(id: string, options?: FollowOptions): AsyncIterable<StreamEvent>;
  /**
   * Reads the events of all sessions in order of position, and follows the log.
   * @example for await (const { position, event } of halyard.allEvents()) console.log(position, event.type);
   */
  allEvents(options?: FollowOptions): AsyncIterable<PositionedEvent>;
  /**
   * Reads the events of one session in batches of all available events, for programs that forward many events.
   * @example for await (const batch of halyard.batches(id)) await forward(batch);
   */
  batches(id: string, options?: FollowOptions): AsyncIterable<readonly StreamEvent[]>;
  /**
   * Reads the events of one session backward: the last events, or the last events before a given event. Does not read
   * the log from its start.
   * @example const { events, first } = await halyard.window(id, { limit: 100 });
   */
  window(id: string, options?: WindowOptions): Promise<EventWindow>;
  /**
   * Returns the position of the last event of all sessions. Pass it as `after` to follow only new events.
   * @example const news = halyard.allEvents({ after: await halyard.position() });
   */
  position(): Promise<number>;
  /**
   * Searches the content of sessions: messages, questions, tool inputs and tool outputs. `query` contains words, and
   * phrases in double quotes; a hit contains all of them. By default, the newest hits come first.
   * @example const { hits } = await halyard.search('migration "foreign key"', { limit: 5 });
   */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /**
   * Changes a session, whether or not it is running. Rejects with `unsupported` if its runtime cannot change a setting
   * while it runs.
   * @example await halyard.update("ses_0123456789abcdef", { name: "api" });
   */
  update(id: string, changes: SessionChanges): Promise<SessionInfo>;
  /**
   * Returns the file changes of a session, by the agent and by other programs. Selects one turn, or the range between
   * two checkpoints. Rejects with `checkpoint_not_found` if the session has no such checkpoint.
   * @example const { files, diff } = await halyard.changes("ses_0123456789abcdef", { turnId: turn.id });
   */
  changes(id: string, query?: ChangesQuery): Promise<Changes>;
  /**
   * Records a checkpoint of the current files, then restores the files of an earlier checkpoint. Does not change
   * ignored or skipped files, nested repositories or the conversation. Rejects with `workspace_failed` while a turn or fork runs.
   * @example await halyard.rewind("ses_0123456789abcdef", { to: turn.id });
   */
  rewind(id: string, request: RewindRequest): Promise<Rewound>;
  /**
   * Adds up the usage of all sessions by day, runtime, project and model, based on the session records.
   * @example const { total, days } = await halyard.usage({ since: "2026-11-10" });
   */
  usage(filter?: UsageFilter): Promise<UsageReport>;
  /**
   * Returns the usage limits of every account, as last reported by a session that used it.
   * @example const full = (await halyard.limits()).filter(({ status }) => status === "reached");
   */
  limits(): Promise<AccountLimits[]>;
  /**
   * Returns the metrics of the process that runs the sessions, in the Prometheus text format: sessions by state, turns
   * by outcome, events, queues, store latency, memory.
   * @example response.setHeader("content-type", "text/plain; version=0.0.4").end(await halyard.metrics());
   */
  metrics(): Promise<string>;
  /**
   * Stops the session if it is running, and deletes its events and its files in Halyard's home, except its git worktree.
   * Also deletes the runtime's own record of the session if the adapter implements `forget`.
   * @example await halyard.remove("ses_0123456789abcdef");
   */
  remove(id: string): Promise<void>;
  /**
   * Removes ended sessions that have been inactive for a long time, and their events, and returns their disk space to
   * the system. Never removes a live session, a session with an open request, or one in the tree of a live session.
   * Keeps the runtime's own record of a session. Returns after at most a few seconds: call it again while `hasMore` is
   * true.
   * @example const { removed, hasMore } = await halyard.prune({ olderThan: "30d", keep: 100 });
   */
  prune(options: PruneOptions): Promise<PruneResult>;
  /**
   * Lists all running processes that were started for sessions.
   * @example const pids = (await halyard.processes()).map(({ pid }) => pid);
   */
  processes(): Promise<ProcessInfo[]>;
  /**
   * Kills the processes whose session has ended, was removed, or continues on another machine, and returns them.
   * @example const killed = await halyard.reap();
   */
  reap(): Promise<ProcessInfo[]>;
  /**
   * Lists the git worktrees that were created for sessions, newest first.
   * @example const dirty = (await halyard.worktrees()).filter(({ state }) => state === "dirty");
   */
  worktrees(): Promise<WorktreeInfo[]>;
  /**
   * Removes worktrees that contain no unmerged work. With `park`, commits the changes of the other worktrees to their
   * branches and removes them too. Never removes a worktree with a live session. Returns every worktree with the
   * result.
   * @example const removed = (await halyard.pruneWorktrees()).filter(({ removed }) => removed);
   */
  pruneWorktrees(request?: PruneRequest): Promise<PrunedWorktree[]>;
  /**
   * Applies the changes of a session's worktree to the user's working tree: all changes as a patch, or as a merge of
   * the branch. Rejects with `conflict` and changes nothing if the changes conflict.
   * @example const { files } = await halyard.adopt("ses_0123456789abcdef", { cwd: "/home/me/project" });
   */
  adopt(id: string, request: AdoptRequest): Promise<Adopted>;
  /**
   * Runs races: several agents work on the same task, each in its own git worktree.
   * @example const { id } = await halyard.races.start({ prompt: "Fix #12", racers, check: "npm test" });
   */
  readonly races: Races;
}

/** One conversation. `await using` stops it. */
export interface Session extends AsyncDisposable {
  /**
   * The id of the session.
   * @example console.log(session.id);
   */
  readonly id: SessionId;
  /**
   * The current state of the session.
   * @example console.log(session.info.state);
   */
  readonly info: SessionInfo;
  /**
   * How the session was opened. A resume never starts a new conversation silently.
   * @example if (session.opened === "attached") console.log("the runtime was still running");
   */
  readonly opened: "started" | "resumed" | "attached";
  /**
   * The `seq` of the last event before the session was opened.
   * @example const news = session.events({ after: session.openedAfter });
   */
  readonly openedAfter: number;
  /**
   * Resolves when the runtime accepts messages. Rejects if it never will.
   * @example await session.ready();
   */
  ready(): Promise<void>;
  /**
   * Sends a message, with attachments if it is an object, and returns its turn immediately. Never throws: errors are in
   * `turn.accepted` and `turn.outcome`.
   * @example const { text } = await session.send("Fix the tests.").outcome;
   */
  send(message: string | MessageInput, options?: SendOptions): Turn;
  /**
   * Starts a session that continues a copy of this conversation, with the settings and keys of this session. This session
   * does not change. Rejects with `unsupported` if the runtime cannot fork, and with `workspace_failed` while a turn,
   * another fork or a rewind runs.
   * @example const other = await session.fork({ name: "second try", worktree: true });
   */
  fork(options?: ForkOptions): Promise<Session>;
  /**
   * Compacts the conversation: the runtime replaces it with a summary. This is a turn, which waits for the running
   * turn. Its outcome fails with `unsupported` if the runtime cannot compact.
   * @example const { status } = await session.compact().outcome;
   */
  compact(options?: CompactOptions): Turn;
  /**
   * Lists the slash commands that the runtime accepts as messages. Rejects with `unsupported` if the runtime has no list.
   * @example const names = (await session.commands()).map(({ name }) => name);
   */
  commands(): Promise<SlashCommand[]>;
  /**
   * Cancels the running turn, or the turn with the given id. Has no effect if the turn has already ended.
   * @example await session.interrupt({ reason: "wrong file" });
   */
  interrupt(options?: InterruptOptions): Promise<void>;
  /**
   * Resolves if the runtime is alive and responds. Rejects with the reason if it does not.
   * @example await session.ping();
   */
  ping(): Promise<void>;
  /**
   * Answers an open request. Rejects with `request_not_found` if it is not open, or `invalid_input` if the id or answer is invalid.
   * @example await session.answer(request.requestId, { decision: "allow" });
   */
  answer(requestId: string, answer: Answer): Promise<void>;
  /**
   * Reads the log, and follows it until the session ends.
   * @example for await (const event of session.events()) console.log(event.type);
   */
  events(options?: FollowOptions): AsyncIterable<StreamEvent>;
  /**
   * Releases the session and leaves its runtime running, for another process to resume. Rejects with `unsupported` if the
   * runtime does not have the capability `attach`.
   * @example await session.detach();
   */
  detach(): Promise<void>;
  /**
   * Cancels the running turn and kills the runtime with all processes that it started. Idempotent.
   * @example await session.stop("done");
   */
  stop(reason?: string): Promise<void>;
}

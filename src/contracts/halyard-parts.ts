import type { HalyardError } from "../errors/error.ts";
import type { Environment } from "../programs/environment.ts";
import type { GitSetting } from "../programs/git-settings.ts";
import type { BudgetSettings } from "../schema/budget.ts";
import type { HostName } from "../schema/host.ts";
import type { SessionId } from "../schema/id.ts";
import type { McpServer } from "../schema/mcp-server.ts";
import type { FoundSetting, ProjectSetting } from "../schema/project/project-setting.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { PriceTable } from "../schema/usage/prices.ts";
import type { AdapterSource, AgentTrace } from "./adapter.ts";
import type { Audience } from "./audience.ts";
import type { Checkouts } from "./checkouts.ts";
import type { Clock } from "./clock.ts";
import type { Gate } from "./gate.ts";
import type { Halyard } from "./halyard.ts";
import type { Health, Host, ProcessIdentity } from "./host.ts";
import type { SavedSessions } from "./saved-sessions.ts";
import type { AskedRequest, ResolvedSession } from "./session-request.ts";
import type { Store } from "./store.ts";
import type { Workspaces } from "./workspace.ts";
import type { Worktrees } from "./worktrees.ts";

/** The parts of an in-process Halyard instance: everything that its sessions need. `createHalyard` builds them. */
export interface HalyardParts {
  readonly store: Store;
  readonly adapters: AdapterSource;
  readonly hosts: ReadonlyMap<HostName, Host>;
  readonly clock: Clock;
  /** The identity of this process, recorded as the owner of the sessions that it runs. */
  readonly self: ProcessIdentity;
  /**
   * Reports whether the process that owns a session is still running. `unreachable` if the process is on another
   * machine that has not renewed its lease.
   */
  health(owner: ProcessIdentity): Promise<Health | "unreachable">;
  /** Returns the directories of a session. They may depend on its host. */
  directories(id: SessionId, session?: SessionInfo): SessionDirectories;
  /** True if a run directory on that host belongs to this home. */
  owns(runDir: string, host: HostName): boolean;
  /**
   * Reads the configuration once and resolves all settings that the request omits. `isNew` is false for a resume.
   * `session` is the resumed session or the parent of a new one, whose runtime is used.
   */
  resolve(
    request: AskedRequest,
    options: { readonly isNew: boolean; readonly session?: SessionInfo | undefined },
  ): Promise<ResolvedSession>;
  /**
   * Returns true if the files in the request's directory are trusted. If omitted, only the request's `trust` applies.
   */
  trusts?(request: AskedRequest): Promise<boolean>;
  /** Returns the given project settings that exist in a directory or above it. */
  settingsIn?(cwd: string, settings: readonly ProjectSetting[]): Promise<readonly FoundSetting[]>;
  /** Returns the filters that a repository's own configuration defines. Git would run them without permission. */
  filtersIn?(cwd: string): Promise<RepositoryFilters | undefined>;
  /**
   * Returns the MCP server with which an agent on this machine reads the log of a session, or undefined if this machine
   * cannot start it. If omitted, the agent reads the log from a file.
   */
  logServer?(id: SessionId): McpServer | undefined;
  /** Creates and removes the git worktrees of sessions. If omitted, sessions have none. */
  readonly worktrees?: Worktrees;
  /**
   * Creates the directories of sessions that work on a clone or on uploaded files. If omitted, such sessions are
   * rejected.
   */
  readonly checkouts?: Checkouts;
  /** Saves sessions for the other machines of a cluster. If omitted, sessions stay on this machine. */
  readonly savedSessions?: SavedSessions;
  /** True if a machine of the cluster has a valid lease and is not drained. */
  isConnected?(machine: string): Promise<boolean>;
  /** Returns the trace that the agent of a session can join. Returns undefined if no telemetry is sent. */
  traceOf?(session: SessionInfo): AgentTrace | undefined;
  /** Returns the metrics of this process, in the Prometheus text format. */
  metrics?(): Promise<string>;
  /** Receives appended events. Disposed after the last session has ended. */
  readonly audience?: Audience;
  /** Admits new sessions and turns. If omitted, all are admitted. */
  readonly gate?: Gate;
  /** Assigns the times at which waiting turns continue. If omitted, each session assigns its own times. */
  readonly wakeSlots?: WakeTimes;
  /** Returns the budgets that a session shares with others. If omitted, there are none. */
  budgets?(session: SessionInfo): Promise<Pick<BudgetSettings, "project" | "day">>;
  /**
   * Returns the price tables for cost estimates. The first table with the model applies. If omitted, there are none.
   */
  prices?(session: SessionInfo): Promise<readonly PriceTable[]>;
  /** Records the files of sessions. If omitted, no checkpoints are taken. */
  readonly workspaces?: Workspaces;
  /** Determines whether disposal stops the live sessions or detaches from them. Defaults to `stop`. */
  readonly onDispose?: "stop" | "detach";
  /** Called when appends to a session's log wait because the store is full, locked or unreachable. */
  onBlocked?(id: SessionId, reason: HalyardError): void;
  /**
   * Connects to processes that own other sessions of the store. If omitted, commands to these sessions are rejected.
   */
  readonly owners?: Owners;
  /**
   * Sessions that this process released while the store could not be written. They have no owner, even if the store
   * still records one.
   */
  readonly abandoned: Set<SessionId>;
  /**
   * Runs the tasks that move the same session one at a time. Such a task is a takeover by this machine, or the deletion
   * of the session's files after another machine has taken over the session.
   */
  whileMoving<T>(id: SessionId, task: () => Promise<T>): Promise<T>;
  /** Halyard's own directories. Only the policy `allow-all` allows edits in them without a user's approval. */
  readonly protectedDirs?: readonly string[];
  /** The directory of the store, if other processes can open the same store. */
  readonly home?: string;
  /**
   * The environment in which programs of runtimes are looked up and the checks of races run. Defaults to an empty
   * environment.
   */
  readonly env?: Environment;
  /** Values that are redacted from everything that Halyard writes. */
  readonly secrets: readonly string[];
}

/** Assigns times so that no two turns continue in the same second. */
export interface WakeTimes {
  /** Reserves a free second after the reset of a limit, with a random delay. Returns the time in milliseconds. */
  takeAfter(resetMs: number): number;
  /** Reserves the first free second at or after a time. Returns the time in milliseconds. */
  take(timeMs: number): number;
}

/** Connections to processes that own sessions. Disposed with the Halyard instance. */
export interface Owners extends AsyncDisposable {
  /** Connects to the process. Returns undefined if it accepts no commands. */
  reach(owner: ProcessIdentity): Promise<Halyard | undefined>;
}

/** This process's connection to a cluster. */
export interface Membership {
  /** The name of this machine. */
  readonly machine: string;
  /** True if a process on another machine has a valid lease. */
  holdsLease(owner: ProcessIdentity): Promise<boolean>;
  /** Connects to a process on another machine. Returns undefined if it accepts no commands. */
  reach(owner: ProcessIdentity): Promise<Halyard | undefined>;
  /** True if a process on the machine has a valid lease and the machine is not drained. */
  isConnected(machine: string): Promise<boolean>;
  /** Stores the files and conversations that another machine needs to continue a session. */
  readonly savedSessions: SavedSessions;
}

/** The directories of a session. */
export interface SessionDirectories {
  /** Deleted when the session stops. */
  readonly run: string;
  /** Deleted when the session is removed. */
  readonly state: string;
}

/** Programs that a repository's own configuration names and that git runs when it compares files. */
export interface RepositoryFilters {
  /** The configuration file. */
  readonly path: string;
  /** The root of the repository. */
  readonly directory: string;
  /** The names of the settings, such as `filter.x.clean`. */
  readonly keys: readonly string[];
  /** The git settings that disable these programs. */
  readonly off: readonly GitSetting[];
}

import type { HalyardError } from "../errors/error.ts";
import type { Environment } from "../programs/environment.ts";
import type { SessionId } from "../schema/id.ts";
import type { McpServer } from "../schema/mcp-server.ts";
import type { FoundSetting, ProjectSetting } from "../schema/project-setting.ts";
import type { HostName } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { AdapterSource } from "./adapter.ts";
import type { Audience } from "./audience.ts";
import type { Clock } from "./clock.ts";
import type { Gate } from "./gate.ts";
import type { Halyard } from "./halyard.ts";
import type { Health, Host, ProcessIdentity } from "./host.ts";
import type { AskedRequest, ResolvedSession } from "./session-request.ts";
import type { Store } from "./store.ts";
import type { Workspaces } from "./workspace.ts";
import type { Worktrees } from "./worktrees.ts";

/** Everything that sessions need at run time. `createHalyard` builds it. */
export interface Machine {
  readonly store: Store;
  readonly adapters: AdapterSource;
  readonly hosts: ReadonlyMap<HostName, Host>;
  readonly clock: Clock;
  /** The identity of this process, recorded as the owner of the sessions that it runs. */
  readonly self: ProcessIdentity;
  /** Reports whether the process that owns a session still runs. */
  health(owner: ProcessIdentity): Promise<Health>;
  /** Returns the directories of a session. They may depend on its host. */
  directories(id: SessionId, session?: SessionInfo): SessionDirectories;
  /** True if a run directory on that host belongs to this home. */
  owns(runDir: string, host: HostName): boolean;
  /** Reads the configuration once and decides everything that the request leaves open. `isNew` is false for a resume. */
  resolve(request: AskedRequest, options: { readonly isNew: boolean }): Promise<ResolvedSession>;
  /** True if the files of the request's directory are trusted. If omitted, only `trust` of the request decides. */
  trusts?(request: AskedRequest): Promise<boolean>;
  /** Returns the given project settings that exist in a directory or above it. */
  settingsIn?(cwd: string, settings: readonly ProjectSetting[]): Promise<readonly FoundSetting[]>;
  /**
   * Returns the MCP server with which an agent on this machine reads the log of a session, or undefined if it cannot be
   * started here. If omitted, a file with the log replaces it.
   */
  logServer?(id: SessionId): McpServer | undefined;
  /** Creates and removes the git worktrees of sessions. If omitted, sessions have none. */
  readonly worktrees?: Worktrees;
  /** Receives appended events. Disposed with the machine's last session. */
  readonly audience?: Audience;
  /** Admits new sessions and turns. If omitted, all are admitted. */
  readonly gate?: Gate;
  /** Records the files of sessions. If omitted, no checkpoints are taken. */
  readonly workspaces?: Workspaces;
  /** What happens to live sessions when the machine is disposed. Defaults to `stop`. */
  readonly onDispose?: "stop" | "detach";
  /** Called when the log of a session waits because the store is full or locked. */
  onBlocked?(id: SessionId, reason: HalyardError): void;
  /**
   * Connects to processes that own other sessions of the store. If omitted, commands to these sessions are rejected.
   */
  readonly owners?: Owners;
  /**
   * Sessions that this process released while the store could not be written. They have no owner, whatever the store
   * records.
   */
  readonly abandoned: Set<SessionId>;
  /** Halyard's own directories. An edit in one of them always needs an answer from a person. */
  readonly protectedDirs?: readonly string[];
  /** The directory of the store, if other processes can open the same store. */
  readonly home?: string;
  /** The environment in which a runtime's program is looked up. Defaults to an empty one. */
  readonly env?: Environment;
  /** Values that are redacted from everything that is written. */
  readonly secrets: readonly string[];
}

/** Connections to processes that own sessions. Disposed with the machine. */
export interface Owners extends AsyncDisposable {
  /** Connects to the process. Returns undefined if it accepts no commands. */
  reach(owner: ProcessIdentity): Promise<Halyard | undefined>;
}

/** The directories of a session. */
export interface SessionDirectories {
  /** Deleted when the session stops. */
  readonly run: string;
  /** Deleted when the session is removed. */
  readonly state: string;
}

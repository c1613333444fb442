import type { SessionId } from "../schema/id.ts";
import type { FoundSetting, ProjectSetting } from "../schema/project-setting.ts";
import type { HostName, RuntimeName } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Audience } from "./audience.ts";
import type { Clock } from "./clock.ts";
import type { Environment } from "./environment.ts";
import type { HalyardError } from "./error.ts";
import type { Gate } from "./gate.ts";
import type { Halyard } from "./halyard.ts";
import type { Health, Host, ProcessIdentity } from "./host.ts";
import type { AdapterSource } from "./runtimes.ts";
import type { AskedRequest, SessionRequest } from "./session-request.ts";
import type { Store } from "./store.ts";

/** All that sessions run on: what `createHalyard` puts together. */
export interface Machine {
  readonly store: Store;
  readonly adapters: AdapterSource;
  readonly hosts: ReadonlyMap<HostName, Host>;
  readonly clock: Clock;
  /** This process, as the owner of the sessions it runs. */
  readonly self: ProcessIdentity;
  /** Whether the process that owns a session still runs. */
  health(owner: ProcessIdentity): Promise<Health>;
  /** What a session keeps on disk beside its log; where that is may depend on its host. */
  directories(id: SessionId, session?: SessionInfo): SessionDirectories;
  /** Whether a run directory on that host is one of this home's. */
  owns(runDir: string, host: HostName): boolean;
  /** The runtime for a request that names none. */
  choose(request: AskedRequest): Promise<RuntimeChoice>;
  /** Where a session of that runtime is to run; the host asked for, or `local`, where it is left out. */
  place?(request: AskedRequest, runtime: RuntimeName): Promise<HostName>;
  /**
   * The request, which has the session's id, with what the configuration adds to it for that runtime; `isNew` but for a
   * session that goes on.
   */
  complete?(
    request: SessionRequest,
    runtime: RuntimeName,
    options: { isNew: boolean; takesEndpoints: boolean },
  ): Promise<SessionRequest>;
  /** True if the files of the request's directory are trusted. Without it, none are unless the request says so. */
  trusts?(request: AskedRequest): Promise<boolean>;
  /** The given project settings that exist in a directory or above it. */
  settingsIn?(cwd: string, settings: readonly ProjectSetting[]): Promise<readonly FoundSetting[]>;
  /** Is disposed of with the machine's last session. */
  readonly audience?: Audience;
  /** Where it is left out, everything may be begun. */
  readonly gate?: Gate;
  /** What becomes of live sessions at the end: they are stopped, unless they are to be left running. */
  readonly onDispose?: "stop" | "detach";
  /** Hears that the log of a session waits for a store that is full or locked. */
  onHeldUp?(id: SessionId, reason: HalyardError): void;
  /** Connects to the processes that run other sessions of the store. Without it, their sessions reject commands. */
  readonly owners?: Owners;
  /** Sessions that were let go of here when the store could not be told: nobody runs them, whatever it says. */
  readonly abandoned: Set<SessionId>;
  /** Halyard's own directories: an edit in one of them always asks. */
  readonly protectedDirs?: readonly string[];
  /** The environment that a runtime's program is checked in; empty if omitted. */
  readonly env?: Environment;
  /** Never to be written down. */
  readonly secrets: readonly string[];
}

/** Connections to processes that run sessions. Is disposed of with the machine. */
export interface Owners extends AsyncDisposable {
  /** Returns undefined if the process accepts no commands. */
  reach(owner: ProcessIdentity): Promise<Halyard | undefined>;
}

/** A runtime that was chosen for somebody who named none. */
export interface RuntimeChoice {
  readonly runtime: RuntimeName;
  /** What to run instead where that one cannot run here; without it, its absence is an error. */
  readonly fallback?: RuntimeName;
}

export interface SessionDirectories {
  /** Gone when the session stops. */
  readonly run: string;
  /** Gone when the session is removed. */
  readonly state: string;
}

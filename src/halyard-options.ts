import type { Config } from "./config/config.ts";
import type { ConfigReader } from "./config/reader.ts";
import type { Adapter } from "./contracts/adapter.ts";
import type { Membership } from "./contracts/halyard-parts.ts";
import type { Host } from "./contracts/host.ts";
import type { Store } from "./contracts/store.ts";
import type { Hook } from "./hooks/sinks/open-sink.ts";
import type { RuntimeName } from "./schema/runtime.ts";
import type { TelemetrySettings } from "./schema/telemetry.ts";

/** Options of `createHalyard`. */
export interface HalyardOptions {
  /**
   * Halyard's home: the directory that contains sessions and other data.
   * @defaultValue `HALYARD_HOME`, otherwise `.halyard` in the user's home directory
   * @example "/var/lib/halyard"
   */
  readonly home?: string | undefined;
  /**
   * The directory with the runtimes that `halyard runtime install` installed.
   * @defaultValue `runtimes` in `home`
   * @example "/opt/halyard/runtimes"
   */
  readonly runtimesDir?: string | undefined;
  /**
   * The environment variables from which Halyard reads keys and settings. Runtimes receive only allow-listed variables.
   * @defaultValue the environment of this process
   * @example { PATH: process.env.PATH }
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * The store of sessions and events. `"sqlite"` stores them in a file in `home`; `"memory"` keeps them until this Halyard
   * instance is disposed. A store that the caller passes is disposed with this Halyard instance.
   * @defaultValue `"sqlite"`
   * @example "memory"
   */
  readonly store?: "sqlite" | "memory" | Store | undefined;
  /**
   * Hosts that replace the built-in hosts of the same name.
   * @defaultValue none
   * @example [myTmuxHost]
   */
  readonly hosts?: readonly Host[] | undefined;
  /**
   * Adapters of additional runtimes. An adapter replaces a built-in or registered runtime of the same name.
   * @defaultValue none
   * @example [myAdapter]
   */
  readonly adapters?: readonly Adapter[] | undefined;
  /**
   * True to run all runtimes as processes that keep running after this process exits, including runtimes that could run
   * in this process.
   * @defaultValue false
   * @example true
   */
  readonly detached?: boolean | undefined;
  /**
   * `"stop"` to stop running sessions on dispose, `"detach"` to leave them running for another process to resume.
   * A session whose runtime cannot run without this process is stopped in both cases.
   * @defaultValue `"stop"`
   * @example "detach"
   */
  readonly onDispose?: "stop" | "detach" | undefined;
  /**
   * The runtime of sessions for which neither the request nor the configuration names a runtime.
   * @defaultValue `"pi"`
   * @example "claude"
   */
  readonly defaultRuntime?: RuntimeName | undefined;
  /**
   * The configuration for values that a request omits: a reader, which reads the files again for every session, or a
   * fixed configuration.
   * @defaultValue no file is read
   * @example createConfigReader()
   */
  readonly config?: ConfigReader | Config | undefined;
  /**
   * Directories that the caller trusts, including all directories below them. If `config` is given, directories that the
   * user trusts are trusted as well.
   * @defaultValue none
   * @example ["/srv/repositories"]
   */
  readonly trust?: readonly string[] | undefined;
  /**
   * This process's connection to a cluster whose machines share `store`. Set by `startWorker` from `halyard/cluster`.
   * @defaultValue none: this process does not belong to a cluster
   * @example membership
   */
  readonly membership?: Membership | undefined;
  /**
   * Hooks for all sessions, in addition to those in the configuration.
   * @defaultValue none
   * @example [(payload) => console.log(payload.event)]
   */
  readonly hooks?: readonly Hook[] | undefined;
  /**
   * True to do the daemon's background work: index new events for `search`, and deliver the hook payloads that killed
   * processes left behind. If false, each search first indexes new events.
   * @defaultValue false
   * @example true
   */
  readonly upkeep?: boolean | undefined;
  /**
   * Where traces and metrics are sent. Requires the OpenTelemetry packages, which are optional. False to send nothing.
   * @defaultValue `telemetry` in the user's configuration and the `OTEL_` variables, if `config` is given; otherwise nowhere
   * @example { endpoint: "http://127.0.0.1:4318" }
   */
  readonly telemetry?: TelemetrySettings | false | undefined;
  /**
   * Called when telemetry cannot be sent.
   * @defaultValue emits a process warning
   * @example (problem) => console.error(problem)
   */
  readonly onTelemetryProblem?: ((problem: string) => void) | undefined;
  /**
   * Called when a session's log waits because the store is full, locked or unreachable.
   * @defaultValue emits a process warning
   * @example (problem) => console.error(problem)
   */
  readonly onStoreProblem?: ((problem: string) => void) | undefined;
  /**
   * Called when a payload cannot be delivered to a hook.
   * @defaultValue emits a process warning
   * @example (problem) => console.error(problem)
   */
  readonly onHookProblem?: ((problem: string) => void) | undefined;
}

import type { ContainerOptions } from "../schema/container.ts";
import type { HostName } from "../schema/host.ts";
import type { ModelEndpoint } from "../schema/model.ts";
import type { Terminal } from "./terminal.ts";

/** Runs the process of a runtime, for example on this machine or in a container. */
export interface Host {
  /** The name that a start request uses for this host. */
  readonly name: HostName;
  /**
   * True if programs on this host have their own copies of the run and state directories, so that files they write are
   * not visible to this process.
   */
  readonly hasOwnFiles?: boolean;
  /** Starts a program that keeps running after this process exits, and writes its output to a recording in `runDir`. */
  spawn(command: Command, options: { runDir: string }): Promise<HostProcess>;
  /** Finds a program by the files that `spawn` wrote to `runDir`. Returns undefined if there are none. */
  attach(runDir: string): Promise<HostProcess | undefined>;
  /** Starts a program on a screen. Both keep running after this process exits. Omitted if the host has no screens. */
  openTerminal?(command: Command, options: TerminalOptions): Promise<Terminal>;
  /** Finds a program by the files that `openTerminal` wrote to `runDir`. Returns undefined if there are none. */
  attachTerminal?(runDir: string): Promise<Terminal | undefined>;
  /** Returns the host for one session. Omitted if all sessions share this host. */
  forSession?(session: HostedSession): Promise<SessionHost>;
  /**
   * Returns the URL at which this process reaches a program that listens on `url` on the host. Defaults to the same
   * URL.
   */
  reach?(url: string): Promise<string>;
  /**
   * Rejects with `host_unavailable` if programs on the host cannot respond now, for example because their container is
   * paused.
   */
  requireResponsive?(): Promise<void>;
  /**
   * Lists the processes of every `spawn` on this host, including those of other Halyard processes and orphaned
   * processes.
   */
  processes?(): Promise<readonly OwnedProcess[]>;
  /** Kills a process that `processes` returned. */
  end?(process: OwnedProcess): Promise<void>;
  /**
   * Returns the environment that a program was started with, if the operating system exposes it. After an attach, the
   * keys in this environment are redacted from the log.
   */
  environment?(process: ProcessIdentity): Promise<Readonly<Record<string, string>>>;
}

/** Options of `Host.openTerminal`. */
export interface TerminalOptions {
  readonly runDir: string;
  /** True to keep `marksPastes` up to date while this process runs. Defaults to false. */
  readonly watchesPastes?: boolean | undefined;
}

/** The properties of a session that determine its host. */
export interface HostedSession {
  readonly cwd: string;
  readonly project?: string | undefined;
  readonly container?: ContainerOptions | undefined;
  readonly model?: ModelEndpoint | undefined;
}

/** The host of a session, and the model endpoint at the address that is reachable from the host. */
export interface SessionHost {
  readonly host: Host;
  readonly model?: ModelEndpoint | undefined;
  /** The path of the working directory on the host, if it differs. */
  readonly cwd?: string | undefined;
}

/** A process whose environment contains the run directory that it was started for. */
export interface OwnedProcess {
  readonly identity: ProcessIdentity;
  readonly runDir: string;
  readonly command: string;
  /** The container in which the process runs, if any. */
  readonly container?: string;
}

/** A program with its arguments, working directory and environment. */
export interface Command {
  /** A program's path, or its name on the PATH of `env`. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program that Halyard started. Disposing kills it and all processes that it started. */
export interface HostProcess extends AsyncDisposable {
  readonly identity: ProcessIdentity;
  /**
   * Reads the standard output from the byte offset `from`, which defaults to 0. Ends when the program has exited and
   * everything is read, or when `signal` is aborted.
   */
  output(options?: { from?: number; signal?: AbortSignal }): AsyncIterable<Chunk>;
  /** Returns the end of standard error, for use in error messages. */
  stderrTail(): Promise<string>;
  /** Writes to standard input. Rejects if the program has exited. */
  write(text: string): Promise<void>;
  /** Resolves when the program has exited. */
  readonly exit: Promise<Exit>;
  health(): Promise<Health>;
  /** Rejects if the health is `unknown`. The error contains the reason. */
  requireKnown?(): Promise<void>;
  /**
   * Returns how long the program and its children have waited for a CPU, in milliseconds. Omitted if the host cannot
   * measure it.
   */
  waitedMs?(): Promise<number>;
  /** Sends SIGTERM to the program and all processes that it started, and SIGKILL after the grace period. Idempotent. */
  terminate(options: { graceMs: number }): Promise<void>;
  /** Disconnects and leaves the program running. */
  detach(): Promise<void>;
  /**
   * Frees the disk space of the output from byte offset `from` (default 0) up to `before`. This output is not needed
   * again. All offsets stay valid; a reader reads zeros in the freed range. Rejects without an effect if the host
   * cannot free the space.
   */
  release?(before: number, range?: { readonly from?: number }): Promise<void>;
}

/** Identifies a process, even if a later process reuses the pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time that the kernel reports, as an opaque string. */
  readonly startTime: string;
  /** The id of the machine's boot, as an opaque string. */
  readonly bootId: string;
  /** The cluster machine on which the process runs. Omitted outside a cluster. */
  readonly machine?: string | undefined;
}

/** True if both identities belong to the same process. */
export function isSameIdentity(one: ProcessIdentity, other: ProcessIdentity): boolean {
  const { pid, startTime, bootId, machine } = one;
  return (
    pid === other.pid &&
    startTime === other.startTime &&
    bootId === other.bootId &&
    machine === other.machine
  );
}

/** Some bytes of a program's output. */
export interface Chunk {
  readonly bytes: Uint8Array;
  /** The byte offset after these bytes. */
  readonly end: number;
}

/** How a program exited. `code` and `signal` are unknown if another process started the program. */
export interface Exit {
  readonly code?: number;
  readonly signal?: string;
  /** The cause, if the host knows more than the signal. */
  readonly reason?: string;
}

/** The health of a process. `unknown` if the health cannot be determined. */
export type Health = "alive" | "dead" | "unknown";

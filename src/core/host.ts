import type { ContainerOptions } from "../schema/container.ts";
import type { ModelEndpoint } from "../schema/model.ts";
import type { HostName } from "../schema/runtime.ts";
import type { Terminal } from "./terminal.ts";

/** Where a runtime's process lives. */
export interface Host {
  readonly name: HostName;
  /** Programs there have copies of the run and state directories: what they write is not to be found here. */
  readonly hasOwnFiles?: boolean;
  /** Starts a program that outlives us, its output recorded in `runDir`. */
  spawn(command: Command, options: { runDir: string }): Promise<HostProcess>;
  /** Finds a program again by what `spawn` left in `runDir`; undefined where there is nothing to find. */
  attach(runDir: string): Promise<HostProcess | undefined>;
  /** Starts a program on a screen that outlives us; where it is left out, there are no screens here. */
  openTerminal?(command: Command, options: TerminalOptions): Promise<Terminal>;
  /** Finds it again by what `openTerminal` left in `runDir`; undefined where there is nothing to find. */
  attachTerminal?(runDir: string): Promise<Terminal | undefined>;
  /** The host as one session has it; where it is left out, all have the same. */
  forSession?(session: HostedSession): Promise<SessionHost>;
  /** How an address that a program listens on there is reached from here; where it is left out, it is the same. */
  reach?(url: string): Promise<string>;
  /** Rejects with `host_unavailable` if programs there cannot react at present: their container is paused, for example. */
  requireResponsive?(): Promise<void>;
  /** Every process that runs for a `spawn` of anybody's, whoever its parent is now, as far as it can be seen. */
  processes?(): Promise<readonly OwnedProcess[]>;
  /** Ends one of them. */
  end?(process: OwnedProcess): Promise<void>;
  /** What a program was started with around it, where the system shows it: the keys in it stay secret after an attach. */
  environment?(process: ProcessIdentity): Promise<Readonly<Record<string, string>>>;
}

export interface TerminalOptions {
  readonly runDir: string;
  /** Keep `marksPastes` up to date while this process runs; defaults to false. */
  readonly watchesPastes?: boolean;
}

/** A session, as far as it matters to where it runs. */
export interface HostedSession {
  readonly cwd: string;
  readonly project?: string | undefined;
  readonly container?: ContainerOptions | undefined;
  readonly model?: ModelEndpoint | undefined;
}

/** Where a session runs, and its model as it is reached from there. */
export interface SessionHost {
  readonly host: Host;
  readonly model?: ModelEndpoint | undefined;
  /** The working directory as it is called there, if it is called otherwise. */
  readonly cwd?: string | undefined;
}

/** A process that carries the mark of the run directory it was started for. */
export interface OwnedProcess {
  readonly identity: ProcessIdentity;
  readonly runDir: string;
  readonly command: string;
  /** The container it runs in, where it does. */
  readonly container?: string;
}

/** What to start, where, and with what around it. */
export interface Command {
  /** A program's path, or its name on the PATH of `env`. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program we started and can still identify. Disposing of it ends it and all it started. */
export interface HostProcess extends AsyncDisposable {
  readonly identity: ProcessIdentity;
  /** What it writes to standard output from that byte on; ends once the program has ended and all is read. */
  output(options?: { from?: number; signal?: AbortSignal }): AsyncIterable<Chunk>;
  /** The last of what it wrote to standard error, for error messages. */
  stderrTail(): Promise<string>;
  /** Writes to its standard input. Rejects if the program is gone. */
  write(text: string): Promise<void>;
  /** Resolves when the program has ended. */
  readonly exit: Promise<Exit>;
  health(): Promise<Health>;
  /** Rejects with the reason if the health is `unknown`. */
  requireKnown?(): Promise<void>;
  /** How long it and what it started had to wait for a processor, in milliseconds; left out where nobody can tell. */
  waitedMs?(): Promise<number>;
  /** Asks it to end, waits, and insists: the program, and every process it started. Idempotent. */
  terminate(options: { graceMs: number }): Promise<void>;
  /** Lets go without ending it. */
  detach(): Promise<void>;
  /**
   * What it wrote before that byte of its standard output is never read again: its space may be given back. Rejects
   * where that cannot be done, which changes nothing.
   */
  release?(before: number): Promise<void>;
}

/** Tells a process from any later one that got the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the kernel tells it; opaque. */
  readonly startTime: string;
  /** The boot it belongs to; opaque. */
  readonly bootId: string;
}

export function isSameIdentity(one: ProcessIdentity, other: ProcessIdentity): boolean {
  const { pid, startTime, bootId } = one;
  return pid === other.pid && startTime === other.startTime && bootId === other.bootId;
}

/** Some bytes of a program's output. */
export interface Chunk {
  readonly bytes: Uint8Array;
  /** The offset just behind these bytes. */
  readonly end: number;
}

/** How a program ended: `code` and `signal` are unknown for a program that we did not start in this process. */
export interface Exit {
  readonly code?: number;
  readonly signal?: string;
  /** Why, where the host knows more than the signal tells. */
  readonly reason?: string;
}

/** Whether a process runs; `unknown` where we cannot tell, for we never guess. */
export type Health = "alive" | "dead" | "unknown";

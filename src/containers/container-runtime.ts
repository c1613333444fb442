import type { Readable } from "node:stream";

/** The engines that can run containers. */
export const containerRuntimeNames = ["docker", "podman", "apple"] as const;
export type ContainerRuntimeName = (typeof containerRuntimeNames)[number];

/** Runs containers: Docker and Podman over their API, Apple Container over its command line. */
export interface ContainerRuntime {
  readonly name: ContainerRuntimeName;
  /** Where it is: the URL of its socket, or its program. */
  readonly address: string;
  /** Whether it answers. Never throws; `ping` says why not. */
  isAvailable(): Promise<boolean>;
  /** Rejects with the reason where the engine does not answer. */
  ping(): Promise<EngineInfo>;
  /** Makes a container and answers with its id. */
  create(spec: ContainerSpec): Promise<string>;
  /** Does nothing where it runs already. */
  start(container: string): Promise<void>;
  /** Asks its main process to end, waits, and insists. Does nothing where it does not run. */
  stop(container: string, options?: { graceSeconds?: number }): Promise<void>;
  /** Lets the processes of a paused container run again. Has no effect if it is not paused. */
  unpause(container: string): Promise<void>;
  /** Ends it at once where it runs, and forgets it. Does nothing where there is none. */
  remove(container: string): Promise<void>;
  /** Unpacks a tar stream into a directory of a container. */
  copyInto(container: string, directory: string, tar: Readable): Promise<void>;
  /** Runs a program in a running container until it ends. */
  exec(container: string, command: ExecCommand, options?: ExecOptions): Promise<ExecResult>;
  /** Starts a program in a running container and stays connected to it. The program outlives the connection. */
  execInteractive(container: string, command: ExecCommand): Promise<InteractiveExec>;
  /** Whether a program that `execInteractive` started still runs; undefined where the engine cannot tell any more. */
  execIsRunning(id: string): Promise<boolean | undefined>;
  /** Undefined where there is no such container. */
  inspect(container: string): Promise<ContainerInfo | undefined>;
  /** The last lines of what its main process wrote. */
  logs(container: string, options?: { lines?: number }): Promise<string>;
  status(container: string): Promise<ContainerStatus>;
  /** Makes an image from a directory with a Dockerfile. */
  build(image: BuildRequest): Promise<void>;
  /** Makes an image of a root file system, as a tar stream. */
  importImage(tar: Readable, image: ImportRequest): Promise<void>;
  imageExists(image: string): Promise<boolean>;
  pull(image: string, options?: ProgressOptions): Promise<void>;
  /** The containers that carry all of these labels, whether they run or not. */
  list(labels: Readonly<Record<string, string>>): Promise<ContainerInfo[]>;
  /** Lets go of the engine; what runs in it goes on. */
  close(): Promise<void>;
}

/** What an engine says of itself. */
export interface EngineInfo {
  readonly version: string;
}

/** What a container is made of. */
export interface ContainerSpec {
  /** Unique on the engine. */
  readonly name: string;
  readonly image: string;
  /** The main process; what the container lives as long as. */
  readonly command: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** Seen by everybody who may look at the container: never a key. */
  readonly env: Readonly<Record<string, string>>;
  /** `uid:gid`. */
  readonly user: string;
  readonly workdir: string;
  readonly mounts: readonly Mount[];
  /** Directories in memory: path → options such as `size=64m`. */
  readonly tmpfs: Readonly<Record<string, string>>;
  readonly network: string;
  readonly readOnlyRoot: boolean;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
}

/** A directory of this machine in a container. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** A program to be run in a container. No shell sees it. */
export interface ExecCommand {
  readonly args: readonly [string, ...string[]];
  /** Beside the container's own; not shown by `inspect`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly user?: string;
}

export interface ExecOptions {
  /** What it reads from its standard input. */
  readonly input?: string;
  /** Leaves the program alone, and rejects. */
  readonly signal?: AbortSignal;
}

/** What a program said until it ended, and how it ended: above 128 by the signal of that number less 128. */
export interface ExecResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program in a container that we are connected to. */
export interface InteractiveExec {
  /** The engine's name for it, by which `execIsRunning` finds it again. */
  readonly id: string | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  write(text: string): Promise<void>;
  /**
   * Resolves once it has ended, with its code where the engine still knows it; rejects where the connection is lost.
   * Stays open after `close`.
   */
  readonly exited: Promise<number | undefined>;
  /** Keeps our process running for as long as the program does. */
  hold(): void;
  /** Takes back `hold`. */
  letGo(): void;
  /** Disconnects and leaves the program running. It sees an end of input. */
  close(): void;
}

/** A container as the engine sees it. */
export interface ContainerInfo {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly status: ContainerStatus;
  readonly labels: Readonly<Record<string, string>>;
  /** When its main process was last started; opaque, and another after each start. */
  readonly startedAt: string;
  /** Directories of this machine in it, as far as the engine lists them. */
  readonly mounts?: readonly Pick<Mount, "source" | "target">[];
}

/** `missing`: there is none of that name. */
export type ContainerStatus = "created" | "running" | "paused" | "stopped" | "missing";

/** What an image is built from. */
export interface BuildRequest extends ProgressOptions {
  /** The name it gets, such as `localhost/halyard-agent:latest`. */
  readonly tag: string;
  /** Path in the build context → content; one of them is the Dockerfile. */
  readonly files: Readonly<Record<string, string>>;
  readonly args: Readonly<Record<string, string>>;
}

/** What is said of an image that is made from files alone. */
export interface ImportRequest {
  readonly tag: string;
  /** Instructions of a Dockerfile, such as `ENV PATH=/usr/bin`. */
  readonly changes: readonly string[];
}

export interface ProgressOptions {
  /** Told each line that the engine says on the way. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
}

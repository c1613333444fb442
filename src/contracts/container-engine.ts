import type { Readable } from "node:stream";

/** The names of the supported container engines. */
export const containerEngineNames = ["docker", "podman", "apple"] as const;
/** The name of a container engine. */
export type ContainerEngineName = (typeof containerEngineNames)[number];

/** A container engine. Docker and Podman are called through their API, Apple Container through its command line. */
export interface ContainerEngine {
  readonly name: ContainerEngineName;
  /** The URL of the engine's socket, or the path of its program. */
  readonly address: string;
  /** True if the engine responds. Never throws; `ping` rejects with the reason. */
  isAvailable(): Promise<boolean>;
  /** Returns the version of the engine. Rejects with the reason if the engine does not respond. */
  ping(): Promise<EngineInfo>;
  /** Creates a container and returns its id. */
  create(spec: ContainerSpec): Promise<string>;
  /** Starts a container. Has no effect if it is already running. */
  start(container: string): Promise<void>;
  /**
   * Sends SIGTERM to the main process, and SIGKILL after the grace period, which defaults to 5 s. Has no effect if the
   * container is not running.
   */
  stop(container: string, options?: { graceSeconds?: number }): Promise<void>;
  /** Resumes the processes of a paused container. Has no effect if it is not paused. */
  unpause(container: string): Promise<void>;
  /** Kills and removes a container. Has no effect if it does not exist. */
  remove(container: string): Promise<void>;
  /** Extracts a tar stream into a directory of a container. */
  copyInto(container: string, directory: string, tar: Readable): Promise<void>;
  /** Runs a program in a running container and resolves when it exits. */
  exec(container: string, command: ExecCommand, options?: ExecOptions): Promise<ExecResult>;
  /**
   * Starts a program in a running container and stays connected to it. The program keeps running if the connection is
   * lost.
   */
  execInteractive(container: string, command: ExecCommand): Promise<InteractiveExec>;
  /** True if a program that `execInteractive` started is still running. Undefined if the engine does not know it. */
  execIsRunning(id: string): Promise<boolean | undefined>;
  /** Returns the state of a container, or undefined if it does not exist. */
  inspect(container: string): Promise<ContainerInfo | undefined>;
  /** Returns the last lines of the main process's output. Defaults to 100 lines. */
  logs(container: string, options?: { lines?: number }): Promise<string>;
  status(container: string): Promise<ContainerStatus>;
  /** Builds an image from files that include a Dockerfile. */
  build(image: BuildRequest): Promise<void>;
  /** Imports a root file system from a tar stream as an image. */
  importImage(tar: Readable, image: ImportRequest): Promise<void>;
  imageExists(image: string): Promise<boolean>;
  pull(image: string, options?: ProgressOptions): Promise<void>;
  /** Lists the containers that have all of these labels, whether or not they are running. */
  list(labels: Readonly<Record<string, string>>): Promise<ContainerInfo[]>;
  /** Closes the connections to the engine. Containers keep running. */
  close(): Promise<void>;
}

/** The version of an engine. */
export interface EngineInfo {
  readonly version: string;
}

/** The description of a new container. */
export interface ContainerSpec {
  /** Unique on the engine. */
  readonly name: string;
  readonly image: string;
  /** The main process. The container stops when it exits. */
  readonly command: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** Visible in the container's description, so it must not contain keys. */
  readonly env: Readonly<Record<string, string>>;
  /** The user, as `uid:gid`. */
  readonly user: string;
  readonly workdir: string;
  readonly mounts: readonly Mount[];
  /** The mount options of each in-memory directory by its path, such as `size=64m`. */
  readonly tmpfs: Readonly<Record<string, string>>;
  readonly network: string;
  readonly readOnlyRoot: boolean;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly pids: number;
}

/** A directory of this machine that is mounted in a container. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** A program to run in a container, without a shell. */
export interface ExecCommand {
  readonly args: readonly [string, ...string[]];
  /** Variables that are added to the container's environment. `inspect` does not show them. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly user?: string;
}

/** Options of a program that runs in a container. */
export interface ExecOptions {
  /** The standard input of the program. */
  readonly input?: string;
  /** Rejects the call when aborted. The program keeps running. */
  readonly signal?: AbortSignal;
}

/** The output and exit code of a program. If a signal killed it, the exit code is 128 plus the signal number. */
export interface ExecResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A connection to a program in a container. */
export interface InteractiveExec {
  /** The engine's id for the program, as `execIsRunning` expects it. Undefined if the engine assigns no id. */
  readonly id: string | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  write(text: string): Promise<void>;
  /**
   * Resolves when the program has exited, with its exit code if the engine still has it. Rejects if the connection is
   * lost. Stays pending after `close`.
   */
  readonly exited: Promise<number | undefined>;
  /** Keeps this process alive while the program runs. */
  hold(): void;
  /** Reverts `hold`, so that this process can exit while the program runs. */
  unref(): void;
  /** Disconnects and leaves the program running. The program's input ends. */
  close(): void;
}

/** The state of a container. */
export interface ContainerInfo {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly status: ContainerStatus;
  readonly labels: Readonly<Record<string, string>>;
  /** When the main process was last started, as an opaque string that changes at each start. */
  readonly startedAt: string;
  /** The mounted directories of this machine, if the engine lists them. */
  readonly mounts?: readonly Pick<Mount, "source" | "target">[];
}

/** The status of a container. `missing` if no container has the given id or name. */
export type ContainerStatus = "created" | "running" | "paused" | "stopped" | "missing";

/** The arguments of `ContainerEngine.build`. */
export interface BuildRequest extends ProgressOptions {
  /** The name of the image, such as `localhost/halyard-agent:latest`. */
  readonly tag: string;
  /** The content of each file by its path in the build context. One of the files is the Dockerfile. */
  readonly files: Readonly<Record<string, string>>;
  readonly args: Readonly<Record<string, string>>;
}

/** The arguments of `ContainerEngine.importImage`. */
export interface ImportRequest {
  readonly tag: string;
  /** Dockerfile instructions, such as `ENV PATH=/usr/bin`. */
  readonly changes: readonly string[];
}

/** Options of a call that reports its progress. */
export interface ProgressOptions {
  /** Called with each line of the engine's progress output. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
}

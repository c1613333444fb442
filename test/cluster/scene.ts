import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { onTestFinished } from "vitest";
import { connectCluster } from "../../src/cluster/connect.ts";
import { connectNats } from "../../src/cluster/connect-nats.ts";
import type { ClusterNode } from "../../src/cluster/node.ts";
import { NodeRegistry } from "../../src/cluster/node-registry.ts";
import { clusterSubjects } from "../../src/cluster/subjects.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { processesIn } from "../cli/processes.ts";
import { type GuardedDirectory, guardedDirectory } from "../guard/guarded-directory.ts";
import { NatsServer, startNatsCluster } from "../nats/nats-server.ts";
import { CutProxy } from "./cut-proxy.ts";

/**
 * Workers of a cluster as separate processes, and a client. All processes work in one guarded directory, so none of them
 * outlives the test, even if the test times out or its process is killed.
 */
export class ClusterScene implements AsyncDisposable {
  readonly nats: readonly NatsServer[];
  readonly cwd: string;
  readonly #guard: GuardedDirectory;
  readonly #directory: string;
  readonly #leaseMs: number;
  readonly #env: Readonly<Record<string, string>>;
  readonly #workers = new Map<string, ChildProcess>();
  readonly #connections: NatsConnection[] = [];
  readonly #proxies: CutProxy[] = [];
  #closing: Promise<void> | undefined;

  private constructor(
    nats: readonly NatsServer[],
    guard: GuardedDirectory,
    { leaseMs, env }: { leaseMs: number; env: Readonly<Record<string, string>> },
  ) {
    this.nats = nats;
    this.#env = env;
    this.#guard = guard;
    this.#directory = guard.path;
    this.#leaseMs = leaseMs;
    this.cwd = join(guard.path, "work");
  }

  static async open({
    servers = 1,
    leaseMs = 3_000,
    hasPermissions = false,
    hasKey = false,
  } = {}): Promise<ClusterScene> {
    const guard = await guardedDirectory("halyard-cluster-");
    onTestFinished(() => guard[Symbol.asyncDispose]());
    const config = join(guard.path, "nats.conf");
    await writeFile(config, hasPermissions ? PERMISSIONS : "");
    const alone = () => NatsServer.start({ args: ["-c", config], parent: guard.path });
    const nats = servers === 1 ? [await alone()] : await startNatsCluster(guard.path);
    const env: Record<string, string> = hasKey ? { TEST_CLUSTER_KEY: "k".repeat(32) } : {};
    const scene = new ClusterScene(nats, guard, { leaseMs, env });
    onTestFinished(() => scene[Symbol.asyncDispose]()); // `await using` does not dispose of it after a timeout
    await mkdir(scene.cwd);
    return scene;
  }

  /** Starts the worker of a machine. A worker that is started again has the same home directory. */
  work(machine: string, ...labels: string[]): Promise<void> {
    return this.#work(machine, this.#serversFor("worker"), labels);
  }

  /** Starts a worker that reaches NATS through a proxy, which can be cut. */
  async workThroughProxy(machine: string): Promise<CutProxy> {
    const proxy = await CutProxy.open(this.nats[0]?.port ?? 0);
    this.#proxies.push(proxy);
    await this.#work(machine, `nats://127.0.0.1:${proxy.port}`, []);
    return proxy;
  }

  async #work(machine: string, servers: string, labels: readonly string[]): Promise<void> {
    if (this.#closing !== undefined) throw new Error("The scene is closed.");
    const home = this.homeOf(machine);
    const replicas = this.nats.length;
    const args = [servers, "main", machine, home, this.#leaseMs, replicas, ...labels];
    const program = fileURLToPath(new URL("fake-worker.mjs", import.meta.url));
    const worker = spawn(process.execPath, [program, ...args.map(String)], {
      env: { PATH: process.env.PATH, HOME: this.#directory, ...this.#env },
      stdio: ["ignore", "pipe", "inherit"],
      cwd: this.#directory,
    });
    this.#workers.set(machine, worker);
    const ended = once(worker, "exit").then(() => {
      throw new Error(`The worker of ${machine} exited before it joined the cluster.`);
    });
    await Promise.race([once(worker.stdout, "data"), ended]);
    ended.catch(() => {}); // a later exit is intended by the test
  }

  /** Sends a signal to the worker of a machine. Resolves when the worker has ended, if the signal ends it. */
  async signal(machine: string, signal: NodeJS.Signals): Promise<void> {
    const worker = this.#workers.get(machine);
    if (worker?.exitCode !== null || worker.signalCode !== null) return;
    const exited = once(worker, "exit");
    worker.kill(signal);
    if (signal !== "SIGSTOP" && signal !== "SIGCONT") await exited;
  }

  /** Connects to the cluster with the permissions of a client. */
  async client(): Promise<Halyard> {
    const connection = await connectNats({ servers: this.#serversFor("client") });
    this.#connections.push(connection);
    return connectCluster(connection);
  }

  /** Connects to NATS with the permissions of a worker. */
  async connect(): Promise<NatsConnection> {
    const connection = await connectNats({ servers: this.#serversFor("worker") });
    this.#connections.push(connection);
    return connection;
  }

  /** Returns the machines that hold a lease. */
  async nodes(): Promise<readonly ClusterNode[]> {
    const registry = await NodeRegistry.connect(await this.connect(), clusterSubjects("main"));
    return registry.list({ fresh: true });
  }

  /** Returns the home of a machine, which contains the run directories of its sessions. */
  homeOf(machine: string): string {
    return join(this.#directory, machine);
  }

  /** Returns the pid of each machine's last worker. */
  workerPids(): [machine: string, pid: number][] {
    return [...this.#workers].map(([machine, { pid = 0 }]) => [machine, pid]);
  }

  /** Returns the pids of the processes of all machines: workers, agents and their tools. */
  async processes(): Promise<number[]> {
    const servers = this.nats.map(({ pid }) => pid);
    return (await processesIn(this.#directory)).filter((pid) => !servers.includes(pid));
  }

  /** Runs the `halyard` command in the working directory, connected to the cluster. */
  readonly halyard = (
    ...args: readonly string[]
  ): Promise<{ exitCode: number; stdout: string; stderr: string }> => {
    const program = fileURLToPath(new URL("../../dist/bin/halyard.js", import.meta.url));
    const env = { PATH: process.env.PATH, HOME: this.#directory, CLIENT_KEY };
    const options = { env: { ...env, HALYARD_CLUSTER: this.#serversFor("worker") }, cwd: this.cwd };
    return new Promise((resolve) => {
      execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
        const code = error?.code ?? 0;
        resolve({ exitCode: typeof code === "number" ? code : -1, stdout, stderr });
      });
    });
  };

  /** Returns the number of messages with saved files. */
  async savedMessages(): Promise<number> {
    const connection = await connectNats({ servers: this.#serversFor("worker") });
    try {
      const manager = await jetstreamManager(connection);
      return (await manager.streams.info("halyard-main-files")).state.messages;
    } finally {
      await connection.close();
    }
  }

  /** Ends all workers. Their agents keep running. */
  async stopWorkers(): Promise<void> {
    for (const machine of this.#workers.keys()) {
      await this.signal(machine, "SIGCONT");
      await this.signal(machine, "SIGTERM");
    }
  }

  /** True if a process is running. A zombie is not running. */
  isRunning(pid: number | undefined): boolean {
    if (pid === undefined) throw new Error("The agent has no process.");
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  }

  /** Resolves when a process has ended. */
  async untilGone(pid: number | undefined): Promise<void> {
    while (this.isRunning(pid)) await setTimeout(50);
  }

  /** Returns the server addresses with a user's credentials, which servers without permissions ignore. */
  #serversFor(user: string): string {
    return this.nats.map(({ port }) => `nats://${user}:secret@127.0.0.1:${port}`).join(",");
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const connection of this.#connections) await connection.close();
    for (const proxy of this.#proxies) await proxy[Symbol.asyncDispose]();
    await this.#guard[Symbol.asyncDispose]();
  }
}

/** A model key that the commands have in their environment and the workers do not. */
export const CLIENT_KEY = "sk-of-the-client";

/** The permissions that docs/scale.md lists. */
const PERMISSIONS = `
authorization {
  users: [
    { user: worker, password: secret, permissions: {
      publish: ["halyard.main.>", "$JS.API.>", "_INBOX.>"]
      subscribe: ["halyard.main.>", "_INBOX.>"]
    } }
    { user: client, password: secret, permissions: {
      publish: ["halyard.main.gateway", "halyard.main.node.*.all", "_INBOX.>"]
      subscribe: ["_INBOX.>"]
    } }
    { user: probe, password: secret }
  ]
}
`;

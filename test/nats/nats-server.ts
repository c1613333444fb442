import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type GuardedDirectory, guardedDirectory } from "../guard/guarded-directory.ts";

/** Options of `NatsServer.start`. */
export interface NatsServerOptions {
  /** Defaults to a free port. */
  readonly port?: number | undefined;
  readonly args?: readonly string[] | undefined;
  /** A guarded directory, in which the server runs. Defaults to a new one. */
  readonly parent?: string | undefined;
}

/** One `nats-server` with JetStream on the loopback interface. */
export class NatsServer implements AsyncDisposable {
  readonly port: number;
  readonly #guard: GuardedDirectory | undefined;
  readonly #directory: string;
  readonly #args: readonly string[];
  #process: ChildProcess;

  private constructor(
    port: number,
    {
      directory,
      guard,
      args,
    }: Readonly<{
      directory: string;
      guard: GuardedDirectory | undefined;
      args: readonly string[];
    }>,
  ) {
    this.port = port;
    this.#guard = guard;
    this.#directory = directory;
    this.#args = args;
    this.#process = this.#launch();
  }

  /** Starts a server, alone or as a member of a cluster. */
  static async start(options: NatsServerOptions = {}): Promise<NatsServer> {
    const { parent, port = await freePort() } = options;
    const guard = parent === undefined ? await guardedDirectory("halyard-nats-") : undefined;
    const directory = await mkdtemp(join(guard?.path ?? parent ?? "", "nats-"));
    const own = ["-js", "-sd", directory, "-a", "127.0.0.1", "-p", String(port)];
    const args = [...own, ...(options.args ?? [])];
    const server = new NatsServer(port, { directory, guard, args });
    await server.accepting();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Resolves when the server accepts connections. */
  async accepting(): Promise<void> {
    const { connect } = await import("@nats-io/transport-node");
    const login = { user: "probe", pass: "secret" }; // ignored by servers without permissions
    const options = {
      ...login,
      servers: this.url,
      maxReconnectAttempts: 100,
      reconnectTimeWait: 50,
    };
    const connection = await connect({ ...options, waitOnFirstConnect: true });
    await connection.close();
  }

  /** Kills the server. Its data is kept. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.kill(signal);
    await exited;
  }

  /** Pauses the server without closing its connections. It receives pending messages when it continues. */
  async pause(): Promise<void> {
    process.kill(this.pid, "SIGSTOP");
    const isPaused = async () =>
      /^State:\s+T/m.test(await readFile(`/proc/${this.pid}/status`, "utf8"));
    while (!(await isPaused()));
  }

  continue(): void {
    process.kill(this.pid, "SIGCONT");
  }

  /** Starts the server again with its data. */
  async restart(): Promise<void> {
    this.#process = this.#launch();
    await this.accepting();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#guard?.[Symbol.asyncDispose]();
  }

  #launch(): ChildProcess {
    return spawn("nats-server", [...this.#args], { stdio: "ignore", cwd: this.#directory });
  }
}

/** Starts three servers that form a cluster, in the given guarded directory or each in a new one. */
export async function startNatsCluster(parent?: string): Promise<NatsServer[]> {
  const ports = await Promise.all(Array.from({ length: 6 }, freePort));
  const routes = ports.slice(3).map((port) => `nats-route://127.0.0.1:${port}`);
  return Promise.all(
    [0, 1, 2].map((index) => {
      const cluster = ["--cluster_name", "test", "-n", `n${index}`, "--routes", routes.join(",")];
      const listen = ["--cluster", `nats://127.0.0.1:${ports[index + 3]}`];
      return NatsServer.start({ port: ports[index], args: [...cluster, ...listen], parent });
    }),
  );
}

/** Returns a port on the loopback interface that no process uses. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  server.close();
  await once(server, "close");
  return port;
}

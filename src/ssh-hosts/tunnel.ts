import { readFile, rm } from "node:fs/promises";
import { withClaim } from "../claims/with-claim.ts";
import { socketFetch } from "../client/socket-fetch.ts";
import { HalyardError } from "../errors/error.ts";
import { writeFileAtomically } from "../files/write-file-atomically.ts";
import type { Environment } from "../programs/environment.ts";
import { quoteForShell } from "../programs/quote-for-shell.ts";
import { isRecord } from "../wire/is-record.ts";
import type { SshHost } from "./host-list.ts";
import { runSsh, SSH_FAILED, type SshRun } from "./run-ssh.ts";
import { prepareTunnelPaths, type TunnelPaths } from "./tunnel-paths.ts";

export interface TunnelOptions {
  /** The user's Halyard home. Contains the sockets, unless its path is not suitable for sockets. */
  readonly home: string;
  readonly env: Environment;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * A socket that `ssh` forwards to a host's daemon. The `ssh` connection stays open for ten minutes after its last use,
 * so that the next command does not have to open it again.
 */
export class Tunnel {
  readonly #host: SshHost;
  readonly #options: TunnelOptions;
  readonly #paths: TunnelPaths;
  #opening: Promise<void> | undefined;
  /** True after a request has failed, until `open` succeeds. The remote daemon may have exited. */
  #isSuspect = false;

  private constructor(host: SshHost, options: TunnelOptions, paths: TunnelPaths) {
    this.#host = host;
    this.#options = options;
    this.#paths = paths;
  }

  static async create(host: SshHost, options: TunnelOptions): Promise<Tunnel> {
    return new Tunnel(host, options, await prepareTunnelPaths(options.home, host.name));
  }

  /** Rejects with the reason if an attempt to reach the host failed in the last 30 s. */
  async throwIfRecentlyFailed(): Promise<void> {
    const text = await readFile(this.#paths.failure, "utf8").catch(() => "");
    const [at = "", ...reason] = text.split("\n");
    const sinceMs = this.#options.now() - Number(at);
    if (text !== "" && sinceMs >= 0 && sinceMs < FAILURE_MS) throw this.#failed(reason.join("\n"));
  }

  /** Sends a request to the remote daemon. Opens the connection first if it is not open. */
  readonly fetch: typeof fetch = async (input, init) => {
    const send = () => socketFetch(this.#paths.socket)(input, init);
    if (this.#isSuspect) await this.open();
    try {
      return await send();
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      this.#isSuspect = true;
      if (!isRefused(error)) throw error;
    }
    await this.open(); // the request was not sent, so it can be sent again
    return send();
  };

  /** Opens the connection if the remote daemon does not respond. Starts the remote daemon if it is not running. */
  open(): Promise<void> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Closes the connection and deletes its files. */
  async close(): Promise<void> {
    await this.#end();
    await rm(this.#paths.failure, { force: true });
  }

  async #open(): Promise<void> {
    const { lock, failure } = this.#paths;
    if (!(await this.#responds()))
      await withClaim(lock, {}, async () => {
        if (await this.#responds()) return; // another process has opened the connection in the meantime
        try {
          await this.#connect();
        } catch (error) {
          await this.#end();
          if (error instanceof HalyardError)
            await writeFileAtomically(failure, `${this.#options.now()}\n${error.message}`);
          throw error;
        }
      });
    await rm(failure, { force: true });
    this.#isSuspect = false;
  }

  async #connect(): Promise<void> {
    const { socket } = this.#paths;
    await this.#end(); // the old connection may belong to an earlier daemon or a lost network
    const { command = "halyard", address } = this.#host;
    // A login shell, because the PATH of other shells often lacks npm's directories.
    const start = `sh -lc ${quoteForShell(`${command} daemon start --format json`)}`;
    const started = await this.#ssh([...KEPT_OPEN, "--", address, start], START_MS);
    if (started.exitCode === SSH_FAILED) throw this.#failed(sshReason(started));
    if (started.exitCode !== 0) throw this.#failed(this.#startProblem(started));
    const remote = socketPathIn(started.stdout);
    if (remote === undefined)
      throw this.#failed(
        `"${command} daemon start" did not print the path of a socket. Run "npm install -g halyard" on the machine to update Halyard.`,
      );
    const forward = ["-O", "forward", "-L", `${socket}:${remote}`, "--", address];
    const forwarded = await this.#ssh(forward, CONTROL_MS);
    if (forwarded.exitCode !== 0)
      throw this.#failed(`its socket cannot be forwarded: ${sshReason(forwarded)}`);
    if (!(await this.#responds()))
      throw this.#failed(
        `its daemon does not respond at ${remote}. Allow socket forwarding in its sshd_config: AllowStreamLocalForwarding yes.`,
      );
  }

  #startProblem({ exitCode, stderr, stdout }: SshRun): string {
    const { name, address, command = "halyard" } = this.#host;
    if (exitCode === COMMAND_NOT_FOUND)
      return `the command "${command}" was not found on the machine. Install it with "ssh ${address} npm install -g halyard", or pass its path: "halyard host add ${name} ${address} --command /path/to/halyard".`;
    return `its daemon could not be started: ${(stderr.trim() || stdout.trim()).slice(0, MAX_REASON)}. Run "ssh ${address} ${command} daemon start" to find the cause.`;
  }

  async #end(): Promise<void> {
    const { control, socket } = this.#paths;
    await this.#ssh(["-O", "exit", "--", this.#host.address], CONTROL_MS); // fails if there is no connection
    await rm(control, { force: true });
    await rm(socket, { force: true });
  }

  async #responds(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(HEALTH_MS);
      const url = "http://localhost/v1/health";
      return (await socketFetch(this.#paths.socket)(url, { signal })).ok;
    } catch {
      return false; // there is no socket, no connection or no daemon
    }
  }

  #ssh(args: readonly string[], timeoutMs: number): Promise<SshRun> {
    const { control, prefix } = this.#paths;
    const options = [...OPTIONS, `ControlPath=${control}`].flatMap((option) => ["-o", option]);
    return runSsh([...options, ...args], {
      env: this.#options.env,
      outputPrefix: `${prefix}-${process.pid}`,
      timeoutMs,
    });
  }

  #failed(reason: string): HalyardError {
    const known = `${this.#host.name} does not respond: `;
    return new HalyardError("unreachable", reason.startsWith(known) ? reason : known + reason);
  }
}

/** The options of every connection. `BatchMode` prevents password prompts, which no user could answer. */
const OPTIONS = [
  "BatchMode=yes",
  "ConnectTimeout=5",
  "ServerAliveInterval=5",
  "ServerAliveCountMax=3",
  "StreamLocalBindUnlink=yes",
  "StreamLocalBindMask=0177",
  "ExitOnForwardFailure=yes",
  "RequestTTY=no",
  "RemoteCommand=none",
];

const KEPT_OPEN = ["-o", "ControlMaster=auto", "-o", "ControlPersist=600"];

const COMMAND_NOT_FOUND = 127;
const MAX_REASON = 2_000;
const FAILURE_MS = 30_000;
/** How long a connection may take to open, in milliseconds. Long, because the remote daemon may have to start. */
const START_MS = 45_000;
const CONTROL_MS = 10_000;
const HEALTH_MS = 10_000;

/** Returns the last three lines of the standard error of `ssh`. Earlier lines may be the server's greeting. */
function sshReason({ stderr }: SshRun): string {
  const lines = stderr
    .trim()
    .split("\n")
    .filter((line) => line.trim() !== "");
  const text =
    lines.slice(-3).join(" ").trim().slice(0, MAX_REASON) || "ssh failed without a message";
  const isRefusedSignIn = /Permission denied|Host key verification failed/.test(text);
  return isRefusedSignIn
    ? `${text} ssh must sign in without a password prompt: use a key, or ssh-agent.`
    : text;
}

/** Returns the socket path from the status that `daemon start` printed. A login shell may print lines before the status. */
function socketPathIn(stdout: string): string | undefined {
  for (const line of stdout.split("\n").toReversed()) {
    try {
      const status: unknown = JSON.parse(line);
      if (isRecord(status) && typeof status.socketPath === "string") return status.socketPath;
    } catch {} // not the status
  }
  return undefined;
}

/** True if no process listens on the socket, so that the request was not sent. */
function isRefused(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ECONNREFUSED" || code === "ENOENT";
}

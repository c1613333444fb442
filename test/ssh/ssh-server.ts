import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { program, type User } from "../cli/start-cli.ts";
import { freePort } from "../nats/nats-server.ts";

const run = promisify(execFile);

/** An `sshd` on the loopback interface, through which one user reaches another user's daemon. */
export class SshServer {
  readonly #directory: string;
  readonly #config: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(directory: string, port: number) {
    this.#directory = directory;
    this.#config = join(directory, "sshd_config");
    this.#port = port;
  }

  /** Starts a server whose clients work as `remote`. */
  static async start(remote: User): Promise<SshServer> {
    const server = new SshServer(await temporaryDirectory(), await freePort());
    onTestFinished(() => server.stop());
    await server.#prepare(remote);
    await server.restart();
    return server;
  }

  /** Returns a user whose `ssh` knows the server under a name. */
  async clientOf(user: User, name: string): Promise<User> {
    const config = join(this.#directory, "ssh_config");
    const key = (await readFile(join(this.#directory, "host.pub"), "utf8")).trim();
    await writeFile(join(this.#directory, "known_hosts"), `[127.0.0.1]:${this.#port} ${key}\n`);
    const lines = [
      `Host ${name}`,
      "HostName 127.0.0.1",
      `Port ${this.#port}`,
      `User ${userInfo().username}`,
      `IdentityFile ${join(this.#directory, "user")}`,
      "IdentitiesOnly yes",
      `UserKnownHostsFile ${join(this.#directory, "known_hosts")}`,
      "StrictHostKeyChecking yes",
    ];
    await writeFile(config, `${lines.join("\n")}\n`);
    // `ssh` reads its configuration from the home directory in the user database and ignores HOME.
    return withSsh(user, `exec /usr/bin/ssh -F ${config} "$@"`);
  }

  /** Starts the server. Resolves when it accepts connections. */
  async restart(): Promise<void> {
    const args = ["-D", "-e", "-f", this.#config];
    this.#process = spawn(SSHD, args, { stdio: "ignore", detached: true });
    while (!(await accepts(this.#port)))
      if (this.#process.exitCode !== null)
        throw new Error(
          'sshd exited before it accepted a connection. Run ".ci/machine" to set up sshd.',
        );
  }

  /** Kills the server with its connections. */
  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#process ?? {};
    if (this.#process === undefined || pid === undefined) return;
    if (exitCode !== null || signalCode !== null) return;
    const exited = once(this.#process, "exit");
    // Each connection is a process with its own process session, so it must be found before its parent exits.
    for (const child of await descendants(pid)) process.kill(child, "SIGKILL");
    process.kill(pid, "SIGKILL");
    await exited;
  }

  async #prepare({ home, env }: User): Promise<void> {
    const directory = this.#directory;
    for (const name of ["host", "user"])
      await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(directory, name)]);
    await mkdir("/run/sshd", { recursive: true }).catch(() => {}); // only root needs this directory
    const profile = join(directory, ".profile");
    const lines = [
      `ListenAddress 127.0.0.1:${this.#port}`,
      `HostKey ${join(directory, "host")}`,
      `PidFile ${join(directory, "pid")}`,
      `AuthorizedKeysFile ${join(directory, "user.pub")}`,
      "StrictModes no",
      "UsePAM no",
      "PermitRootLogin prohibit-password",
      "PasswordAuthentication no",
      `SetEnv HOME=${directory} HALYARD_HOME=${home}`,
    ];
    await writeFile(this.#config, `${lines.join("\n")}\n`);
    const bin = await script(directory, "halyard", `exec ${process.execPath} ${program} "$@"`);
    await writeFile(profile, `echo "Welcome to ${home}."\nPATH="${bin}:${env.PATH}"\n`);
  }
}

/** Returns the user with a program in place of `ssh`, for example one that misbehaves. */
export async function withSsh(user: User, command: string): Promise<User> {
  const bin = await script(await temporaryDirectory(), "ssh", command);
  return { ...user, env: { ...user.env, PATH: `${bin}:${user.env.PATH}` } };
}

/** Writes a shell script, and returns its directory. */
async function script(directory: string, name: string, command: string): Promise<string> {
  const bin = join(directory, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, name), `#!/bin/sh\n${command}\n`);
  await chmod(join(bin, name), 0o755);
  return bin;
}

async function descendants(pid: number): Promise<number[]> {
  const { stdout } = await run("ps", ["-e", "-o", "pid=,ppid="]);
  const pairs = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []));
  return below(pid).reverse();
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
    socket.once("connect", () => socket.destroy());
  });
}

const SSHD = "/usr/sbin/sshd";

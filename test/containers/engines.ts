import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerEngine } from "../../src/contracts/container-engine.ts";
import { parseAddress } from "../../src/hosts/container/engines/docker-api/address.ts";
import { createDockerEngine } from "../../src/hosts/container/engines/docker-api/docker-engine.ts";

/** An engine that the tests start, with its own socket and directories. */
export interface TestEngine extends AsyncDisposable {
  readonly name: "docker" | "podman";
  readonly url: string;
  readonly runtime: ContainerEngine;
}

/** The settings of Podman, which avoid two problems that `halyard container doctor` reports. */
const containersConf = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
exit_command_delay = 2
[network]
network_backend = "netavark"
`;

export async function startEngine(
  name: TestEngine["name"],
  directory: string,
): Promise<TestEngine> {
  await mkdir(directory, { recursive: true });
  const socket = join(directory, "e.sock");
  const url = `unix://${socket}`;
  const log = join(directory, "log");
  const data = ["data", "run"].map((part) => join(directory, part));
  const conf = join(directory, "containers.conf");
  await writeFile(conf, containersConf);
  const [file, args] = commands[name](data, url, join(directory, "pid"));
  const fd = openSync(log, "w");
  const child = spawn(file, args, {
    cwd: directory, // conmon writes a file into its working directory when memory runs out
    stdio: ["ignore", fd, fd],
    env: { ...process.env, CONTAINERS_CONF: conf },
  });
  closeSync(fd);
  const runtime = createDockerEngine(parseAddress(name, url));
  await answers(runtime, child, log);
  return {
    name,
    url,
    runtime,
    async [Symbol.asyncDispose]() {
      // Removes the containers first, because nothing else kills their processes.
      for (const { id } of await runtime.list({})) await runtime.remove(id);
      const over = once(child, "exit");
      child.kill("SIGTERM");
      await over;
      for (const mounted of await mountsIn(directory)) execFileSync("/bin/umount", [mounted]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the mount points below a directory, the innermost first. Podman leaves its storage mounted when it exits. */
async function mountsIn(directory: string): Promise<string[]> {
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n");
  const paths = mounts.map((line) => line.split(" ")[1] ?? "");
  return paths.filter((place) => place.startsWith(`${directory}/`)).reverse();
}

const commands = {
  docker: ([data, run]: string[], url: string, pid: string): [string, string[]] => [
    "dockerd",
    [`--data-root=${data}`, `--exec-root=${run}`, `-p=${pid}`, `-H=${url}`, ...NO_FIREWALL],
  ],
  podman: ([data, run]: string[], url: string): [string, string[]] => [
    "podman",
    [
      `--root=${data}`,
      `--runroot=${run}`,
      `--tmpdir=${run}/tmp`,
      "system",
      "service",
      "--time=0",
      url,
    ],
  ],
} as const;

/** Options that keep the firewall of the machine unchanged. No test needs the internet. */
const NO_FIREWALL = ["--iptables=false", "--ip6tables=false", "--bridge=none"];

async function answers(runtime: ContainerEngine, child: ChildProcess, log: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await runtime.isAvailable()) return;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill("SIGKILL");
  throw new Error(`${runtime.name} did not start:\n${(await readFile(log, "utf8")).slice(-4000)}`);
}

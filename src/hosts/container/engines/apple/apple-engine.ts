import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type {
  ContainerEngine,
  ContainerInfo,
  InteractiveExec,
} from "../../../../contracts/container-engine.ts";
import { HalyardError } from "../../../../errors/error.ts";
import { withoutNul } from "../exec-command.ts";
import {
  type CommandLine,
  commandOutput,
  exitCode,
  runCommand,
  startCommand,
} from "./command-line.ts";
import { createArgs, execArgs } from "./create-args.ts";
import { parseContainers } from "./messages.ts";

/**
 * Creates the engine for Apple Container, which Halyard controls through the `container` command. Written from its
 * documentation and tested only with a fake program.
 */
export function createAppleEngine(line: CommandLine): ContainerEngine {
  const find = async (container: string): Promise<ContainerInfo | undefined> => {
    const { code, stdout, stderr } = await runCommand(line, ["inspect", container]);
    if (code === 0) return parseContainers(stdout || "[]")[0];
    if (/not ?found|no such/i.test(stderr)) return undefined;
    throw new HalyardError(
      "start_failed",
      `Apple's "container inspect" failed: ${stderr.trim()}. Run "halyard container doctor" to find the cause.`,
    );
  };
  const runtime: ContainerEngine = {
    name: "apple",
    address: line.program,
    async ping() {
      const version = await commandOutput(line, ["--version"]);
      const { code, stderr } = await runCommand(line, ["system", "status"]);
      if (code === 0) return { version: /\d+\.\d+(\.\d+)?/.exec(version)?.[0] ?? version.trim() };
      const reason = stderr.trim() && `: ${stderr.trim()}`;
      throw new HalyardError(
        "host_unavailable",
        `Apple Container is not running${reason}. Run "container system start".`,
      );
    },
    isAvailable: () =>
      runtime.ping().then(
        () => true,
        () => false,
      ),
    async create(spec) {
      await commandOutput(line, createArgs(spec));
      return spec.name;
    },
    async start(container) {
      if ((await runtime.status(container)) === "running") return;
      await commandOutput(line, ["start", container]);
    },
    async stop(container, { graceSeconds = 5 } = {}) {
      if ((await runtime.status(container)) !== "running") return;
      await commandOutput(line, ["stop", "--time", String(graceSeconds), container]);
    },
    async unpause() {}, // Apple Container cannot pause a container
    async copyInto() {
      throw new HalyardError(
        "unsupported",
        "Apple Container cannot copy files into a container. Set CONTAINER_RUNTIME to docker or podman.",
      );
    },
    async remove(container) {
      if (await find(container)) await commandOutput(line, ["delete", "--force", container]);
    },
    exec(container, command, { input, signal } = {}) {
      const { env: values = {} } = withoutNul(command);
      return runCommand(line, execArgs(container, command), { input, values, signal });
    },
    async execInteractive(container, command) {
      const { env: values } = withoutNul(command);
      return connected(line, execArgs(container, command), values);
    },
    async execIsRunning() {
      return undefined; // the command line provides no ids for executed programs
    },
    inspect: find,
    async status(container) {
      return (await find(container))?.status ?? "missing";
    },
    logs: (container, { lines = 100 } = {}) =>
      commandOutput(line, ["logs", "-n", String(lines), container]),
    async build({ tag, files, args, onLine, signal }) {
      const directory = await mkdtemp(join(tmpdir(), "halyard-build-"));
      try {
        for (const [name, content] of Object.entries(files)) {
          await mkdir(dirname(join(directory, name)), { recursive: true });
          await writeFile(join(directory, name), content);
        }
        const given = Object.entries(args).flatMap(([name, value]) => [
          "--build-arg",
          `${name}=${value}`,
        ]);
        const output = await commandOutput(
          line,
          ["build", "--progress", "plain", "--tag", tag, ...given, directory],
          { signal },
        );
        for (const one of output.split("\n")) if (one !== "") onLine?.(one);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
    async importImage() {
      throw new HalyardError(
        "unsupported",
        'Apple Container cannot import an image from a file system. Run "halyard image build" without --offline.',
      );
    },
    async imageExists(image) {
      return (await runCommand(line, ["image", "inspect", image])).code === 0;
    },
    async pull(image, { signal } = {}) {
      await commandOutput(line, ["image", "pull", image], { signal });
    },
    async list(labels) {
      const all = parseContainers(await commandOutput(line, ["list", "--all", "--format", "json"]));
      const wanted = Object.entries(labels);
      return all.filter((one) => wanted.every(([name, value]) => one.labels[name] === value));
    },
    async close() {}, // nothing to close, because every call is a separate process
  };
  return runtime;
}

async function connected(
  line: CommandLine,
  args: readonly string[],
  values: Readonly<Record<string, string>> | undefined,
): Promise<InteractiveExec> {
  const child = startCommand(line, args, values);
  child.stdin.on("error", () => {}); // each write reports its own error
  const exited = exitCode(child, line);
  exited.catch(() => {}); // the caller that awaits the promise receives the error
  return {
    id: undefined,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    write: (text) =>
      new Promise((resolve, reject) => {
        child.stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    hold: () => child.ref(),
    unref: () => child.unref(),
    close() {
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      child.unref();
    },
  };
}

import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { unlessAborted } from "../../../../async/unless-aborted.ts";
import type { ContainerEngine } from "../../../../contracts/container-engine.ts";
import { withoutNul } from "../exec-command.ts";
import type { EngineAddress } from "./address.ts";
import { EngineConnection, EngineRefusal, unlessMissing } from "./connection.ts";
import { createBody } from "./create-body.ts";
import { createDemultiplexer } from "./demultiplex.ts";
import { findExec, startExec } from "./exec.ts";
import { buildImage, imageExists, importImage, pullImage } from "./images.ts";
import { Container, Created, Listed, toContainerInfo, toListedInfo, Version } from "./messages.ts";

/** Creates the engine for Docker or Podman, which Halyard controls through the Docker API. */
export function createDockerEngine(address: EngineAddress): ContainerEngine {
  const engine = new EngineConnection(address);
  const path = (container: string, verb = "") =>
    `/containers/${encodeURIComponent(container)}${verb}`;

  const runtime: ContainerEngine = {
    name: address.engine,
    address: address.url,
    async ping() {
      const { Version: version } = await engine.json(Version, { method: "GET", path: "/version" });
      return { version };
    },
    isAvailable: () =>
      runtime.ping().then(
        () => true,
        () => false,
      ),
    async create(spec) {
      const body = createBody(spec, address.engine);
      const query = { name: spec.name };
      const call = { method: "POST", path: "/containers/create", query, body } as const;
      return (await engine.json(Created, call)).Id;
    },
    async start(container) {
      await engine.call({ method: "POST", path: path(container, "/start") });
    },
    async stop(container, { graceSeconds = 5 } = {}) {
      const query = { t: graceSeconds };
      await unlessMissing(engine.call({ method: "POST", path: path(container, "/stop"), query }));
    },
    async unpause(container) {
      if ((await runtime.status(container)) !== "paused") return;
      await engine.call({ method: "POST", path: path(container, "/unpause") });
    },
    async remove(container) {
      const query = { force: true, v: true };
      const call = { method: "DELETE", path: path(container), query } as const;
      while (!(await unlessUnderWay(unlessMissing(engine.call(call))))) await pause(50);
    },
    async copyInto(container, directory, body) {
      const query = { path: directory };
      await engine.call({ method: "PUT", path: path(container, "/archive"), query, body });
    },
    async exec(container, command, { input, signal } = {}) {
      signal?.throwIfAborted();
      const running = await runtime.execInteractive(container, command);
      running.hold();
      const finish = async () => {
        if (input !== undefined) await running.write(input);
        const outputs = Promise.all([text(running.stdout), text(running.stderr)]);
        const code = await running.exited;
        const [stdout, stderr] = await outputs;
        return { code: code ?? UNKNOWN_CODE, stdout, stderr };
      };
      try {
        return await (signal ? unlessAborted(finish(), signal) : finish());
      } catch (error) {
        running.close(); // an aborted call leaves the program running
        throw error;
      }
    },
    execInteractive: (container, command) => startExec(engine, container, withoutNul(command)),
    async execIsRunning(id) {
      return (await findExec(engine, id))?.running;
    },
    async inspect(container) {
      const found = engine.json(Container, { method: "GET", path: path(container, "/json") });
      const info = await unlessMissing(found);
      return info && toContainerInfo(info);
    },
    async logs(container, { lines = 100 } = {}) {
      const query = { stdout: true, stderr: true, tail: lines };
      const call = { method: "GET", path: path(container, "/logs"), query } as const;
      const output = createDemultiplexer(() => {});
      const outputs = Promise.all([text(output.stdout), text(output.stderr)]);
      for await (const bytes of await engine.stream(call)) output.take(bytes);
      output.end();
      return (await outputs).join("");
    },
    async status(container) {
      return (await runtime.inspect(container))?.status ?? "missing";
    },
    build: (request) => buildImage(engine, request),
    importImage: (tar, request) => importImage(engine, tar, request),
    imageExists: (image) => imageExists(engine, image),
    pull: (image, options) => pullImage(engine, image, options),
    async list(labels) {
      const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
      const query = { all: true, filters: JSON.stringify({ label }) };
      const found = await engine.json(Listed, { method: "GET", path: "/containers/json", query });
      return found.map(toListedInfo);
    },
    async close() {}, // nothing to close, because every request has its own connection
  };
  return runtime;
}

/** The exit code for a program that the engine no longer knows. */
const UNKNOWN_CODE = -1;

/** Returns false if another request is already removing the container. */
async function unlessUnderWay(removal: Promise<unknown>): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    if (error instanceof EngineRefusal && /already in progress/.test(error.message)) return false;
    throw error;
  }
}

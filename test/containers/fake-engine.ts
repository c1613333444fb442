import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";

interface FakeContainer {
  readonly name: string;
  readonly body: {
    Image: string;
    Labels: Record<string, string>;
    Env: string[];
    HostConfig?: { Mounts: { Source: string; Target: string }[] };
  };
  readonly execs: string[];
  status: "created" | "running" | "exited";
}

interface FakeExec {
  readonly container: string;
  readonly body: { Cmd: string[]; Env: string[]; WorkingDir?: string };
  process?: ChildProcess;
}

/**
 * Starts an engine with the part of the Docker API that the container host uses. Its containers are only names: programs in
 * them run on this machine, as the user who runs the tests, and are killed when the container is removed.
 */
export async function startFakeEngine(socketPath: string) {
  const containers = new Map<string, FakeContainer>();
  const execs = new Map<string, FakeExec>();
  /** True if the next start of a program fails, because its container is removed at the same time. */
  let isAboutToLose = false;

  const end = (container: FakeContainer | undefined): void => {
    for (const id of container?.execs ?? []) kill(execs.get(id)?.process);
    if (container) container.status = "exited";
  };

  const answer = async (request: IncomingMessage): Promise<[status: number, body?: unknown]> => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://engine");
    const [, , kind = "", id = "", verb = ""] = pathname.split("/");
    const container = containers.get(id);
    const call = `${request.method} ${kind}${verb && `/${verb}`}`;
    if (call === "GET version") return [200, { Version: "fake" }];
    if (call === "POST containers" && id === "create") {
      const body = (await json(request)) as FakeContainer["body"];
      const name = searchParams.get("name") ?? "";
      containers.set(name, { name, body, execs: [], status: "created" });
      return [201, { Id: name }];
    }
    if (call === "GET containers" && id === "json")
      return [200, [...containers.values()].map(list)];
    if (call === "GET exec/json") {
      const { process } = execs.get(id) ?? {};
      if (process === undefined) return [404, { message: "no such exec" }];
      const { exitCode, signalCode } = process;
      return [200, { Running: (exitCode ?? signalCode) === null, ExitCode: exitCode ?? 137 }];
    }
    if (container === undefined && isAboutToLose)
      return [500, { message: `container ${id} does not exist in database: no such container` }];
    if (container === undefined) return [404, { message: `no such container: ${id}` }];
    switch (call) {
      case "GET containers/json":
        return [200, inspect(container)];
      case "POST containers/start":
        container.status = "running";
        return [204];
      case "POST containers/stop":
        end(container);
        return [204];
      case "DELETE containers":
        end(container);
        containers.delete(id);
        return [204];
      case "POST containers/exec": {
        if (isAboutToLose) {
          containers.delete(id);
          return [409, { message: "the container is being removed" }];
        }
        const exec = `exec${execs.size}`;
        execs.set(exec, { container: id, body: (await json(request)) as FakeExec["body"] });
        container.execs.push(exec);
        return [201, { Id: exec }];
      }
      default:
        return [501, { message: `the fake engine knows no ${call}` }];
    }
  };

  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(body === undefined ? "" : JSON.stringify(body));
    });
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket) => {
    const exec = execs.get(request.url?.split("/")[3] ?? "");
    const container = exec && containers.get(exec.container)?.body;
    if (exec && container) exec.process = run(exec, container, socket);
    else socket.destroy();
  });
  const connections = new Set<Socket>();
  server.on("connection", (socket) => connections.add(socket));
  server.listen(socketPath);
  await once(server, "listening");
  onTestFinished(() => {
    for (const container of containers.values()) end(container);
    server.close();
  });
  return {
    url: `unix://${socketPath}`,
    containers,
    loseAtNextExec() {
      isAboutToLose = true;
    },
    /** Stops the server and closes all connections. Started programs keep running. */
    async close() {
      server.close();
      for (const socket of connections) socket.destroy();
    },
  };
}

/** Starts a program in its own process group. Mounts of the container resolve to their sources. */
function run({ body }: FakeExec, container: FakeContainer["body"], socket: Socket): ChildProcess {
  const mounts = container.HostConfig?.Mounts ?? [];
  const [file = "", ...args] = body.Cmd.map((word) => {
    const mount = mounts.find(({ Target }) => word.startsWith(`${Target}/`));
    return mount ? word.replace(mount.Target, mount.Source) : word;
  });
  const given = [...container.Env, ...body.Env].map((text) => text.split(/=(.*)/s, 2));
  const child = spawn(file, args, {
    detached: true,
    env: { PATH: process.env.PATH, ...Object.fromEntries(given) },
    ...(body.WorkingDir !== undefined && { cwd: body.WorkingDir }),
  });
  socket.on("error", () => {}); // the client may disconnect at any time
  socket.write("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
  for (const [number, stream] of [child.stdout, child.stderr].entries())
    stream.on("data", (bytes: Buffer) => {
      const header = Buffer.alloc(8);
      header[0] = number + 1;
      header.writeUInt32BE(bytes.length, 4);
      socket.write(Buffer.concat([header, bytes]));
    });
  child.on("close", () => socket.end());
  return child;
}

function kill(child: ChildProcess | undefined): void {
  try {
    if (child?.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // Ignored: the process had already exited.
  }
}

function list({ name, body, status }: FakeContainer) {
  return { Id: name, Names: [`/${name}`], Image: body.Image, State: status, Labels: body.Labels };
}

function inspect({ name, body, status }: FakeContainer) {
  const { Image, Labels } = body;
  const State = { Status: status, StartedAt: `${name} once` };
  return { Id: name, Name: `/${name}`, State, Config: { Image, Labels } };
}

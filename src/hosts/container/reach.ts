import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, unlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ContainerRuntime } from "../../containers/container-runtime.ts";
import { HalyardError } from "../../core/error.ts";
import { firstLine } from "./first-line.ts";
import { INSIDE } from "./place.ts";
import { entranceSource } from "./route-sources.ts";

export interface Inside {
  readonly engine: ContainerRuntime;
  readonly container: string;
  /** See `PlacePaths`. */
  readonly shared: string;
}

/**
 * The address here of a server that listens inside: connections are passed on through a socket that both can see, so
 * that the container needs no network. It lasts as long as our process; whoever comes later asks for another.
 */
export async function reachInside(url: string, inside: Inside): Promise<string> {
  const { engine, container, shared } = inside;
  const { port } = new URL(url);
  const name = `${randomBytes(16).toString("hex")}.door`;
  const door = await engine.execInteractive(container, {
    args: ["node", "-e", entranceSource, `${INSIDE.shared}/${name}`, port],
  });
  const complaint = text(door.stderr).catch(() => "");
  if ((await firstLine(door.stdout)) !== "ready")
    throw new HalyardError("start_failed", `${url} cannot be reached: ${(await complaint).trim()}`);
  door.letGo(); // it ends with its connection to us
  const socket = openSocket(join(shared, name));
  const listener = await listenFor(socket.path);
  void door.exited
    .catch(() => {})
    .then(() => {
      listener.close(); // first: the socket's path is free for another file afterwards
      socket.close();
    });
  const reached = new URL(url);
  reached.hostname = "127.0.0.1";
  reached.port = String(listener.port);
  return reached.href.replace(/\/$/, "");
}

/**
 * The socket that has that name now, whatever the agent puts in its place later. Rejects anything else, such as a link to
 * a socket of this machine.
 */
function openSocket(file: string): { path: string; close(): void } {
  const fd = openSync(file, O_PATH | constants.O_NOFOLLOW);
  const close = () => {
    closeSync(fd);
    try {
      unlinkSync(file);
    } catch {
      // The agent can remove it too.
    }
  };
  if (fstatSync(fd).isSocket()) return { path: `/proc/self/fd/${fd}`, close };
  close();
  throw new HalyardError(
    "start_failed",
    "A program in the container replaced the socket of its server.",
  );
}

/** Refers to a file without opening it; Node has no name for it. */
const O_PATH = 0o10000000;

function listenFor(socket: string): Promise<{ port: number; close(): void }> {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path: socket, allowHalfOpen: true });
    near.setNoDelay(true);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      resolve({ port, close: () => void server.close() });
    });
  });
}

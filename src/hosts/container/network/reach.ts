import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, unlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ContainerEngine } from "../../../contracts/container-engine.ts";
import { HalyardError } from "../../../errors/error.ts";
import { INSIDE } from "../container-paths.ts";
import { firstLine } from "./first-line.ts";
import { socketForwarderSource } from "./route-sources.ts";

export interface Inside {
  readonly engine: ContainerEngine;
  readonly container: string;
  /** The shared directory, see `ContainerPaths`. */
  readonly shared: string;
}

/**
 * Returns a local URL for a server in the container. Connections are forwarded through a shared socket, so the
 * container needs no network. Valid until this process exits.
 */
export async function reachInside(url: string, inside: Inside): Promise<string> {
  const { engine, container, shared } = inside;
  const { port } = new URL(url);
  const name = `${randomBytes(16).toString("hex")}.door`;
  const forwarder = await engine.execInteractive(container, {
    args: ["node", "-e", socketForwarderSource, `${INSIDE.shared}/${name}`, port],
  });
  const stderr = text(forwarder.stderr).catch(() => "");
  if ((await firstLine(forwarder.stdout)) !== "ready") throw unreachableInside(url, await stderr);
  forwarder.unref(); // the forwarder exits when its connection closes
  const socket = openSocket(join(shared, name));
  const listener = await listenFor(socket.path);
  void forwarder.exited
    .catch(() => {})
    .then(() => {
      listener.close(); // closed first, because the socket's path can refer to another file after the socket is closed
      socket.close();
    });
  const reached = new URL(url);
  reached.hostname = "127.0.0.1";
  reached.port = String(listener.port);
  return reached.href.replace(/\/$/, "");
}

/** Returns the error for a server in a container that Halyard cannot connect to. */
export function unreachableInside(url: string, stderr: string): HalyardError {
  const reason = stderr.trim() || "the forwarder exited without output";
  return new HalyardError(
    "start_failed",
    `Cannot connect to the agent's server at ${url} in the container: ${reason}. Check that Node.js is installed in the container, and try again.`,
  );
}

/**
 * Opens a reference to the socket with this name, so that the agent cannot replace it later. Throws if the file is not
 * a socket, for example if it is a link to one of this machine's sockets.
 */
function openSocket(file: string): { path: string; close(): void } {
  const fd = openSync(file, O_PATH | constants.O_NOFOLLOW);
  const close = () => {
    closeSync(fd);
    try {
      unlinkSync(file);
    } catch {
      // Ignored, because the agent may have removed the file.
    }
  };
  if (fstatSync(fd).isSocket()) return { path: `/proc/self/fd/${fd}`, close };
  close();
  throw new HalyardError(
    "start_failed",
    "A program in the container replaced the socket that connects Halyard to the agent's server. Start a new session.",
  );
}

/** The Linux flag that refers to a file without opening it. Node does not export it. */
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

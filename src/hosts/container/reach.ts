import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ContainerRuntime } from "../../containers/container-runtime.ts";
import { HalyardError } from "../../core/error.ts";
import { firstLine } from "./first-line.ts";
import { entranceSource } from "./route-sources.ts";

export interface Inside {
  readonly engine: ContainerRuntime;
  readonly container: string;
  readonly directory: string;
}

/**
 * The address here of a server that listens inside: connections are passed on through a socket that both can see, so
 * that the container needs no network. It lasts as long as our process; whoever comes later asks for another.
 */
export async function reachInside(url: string, inside: Inside): Promise<string> {
  const { engine, container, directory } = inside;
  const { port } = new URL(url);
  const socket = join(directory, `${randomBytes(4).toString("hex")}.door`);
  const door = await engine.execInteractive(container, {
    args: ["node", "-e", entranceSource, socket, port],
  });
  const complaint = text(door.stderr).catch(() => "");
  if ((await firstLine(door.stdout)) !== "ready")
    throw new HalyardError("start_failed", `${url} cannot be reached: ${(await complaint).trim()}`);
  door.letGo(); // it ends with its connection to us
  void door.exited.catch(() => {}).then(() => rmSync(socket, { force: true }));
  const reached = new URL(url);
  reached.hostname = "127.0.0.1";
  reached.port = String(await listenFor(socket));
  return reached.href.replace(/\/$/, "");
}

function listenFor(socket: string): Promise<number> {
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
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
}

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy that can cut its connections, as a network failure would. */
export interface CutLine {
  readonly port: number;
  /** Cuts all connections. Returns the number of connections. */
  cut(): number;
  /** Waits until there is a connection, and cuts all connections. Returns the number of connections. */
  cutNext(): Promise<number>;
}

export async function openCutLine(target: string): Promise<CutLine> {
  const { port, hostname } = new URL(target);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = keep(connect(Number(port), hostname));
    keep(near).pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): number => {
    const { size } = sockets;
    for (const socket of sockets) socket.destroy();
    return size / 2;
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const cutNext = async (): Promise<number> => {
    while (sockets.size === 0) await once(server, "connection");
    return cut();
  };
  return { port: address.port, cut, cutNext };
}

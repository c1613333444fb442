import { connect, createServer, type Socket } from "node:net";

/** A proxy to a server. A test can break the connections of the proxy. */
export interface BreakableLine extends AsyncDisposable {
  /** Sets the server to which the proxy forwards, and returns the URL of the proxy. */
  to(url: string): string;
  /** Breaks the current connections. */
  cut(): void;
  /** Breaks the current connections and rejects new ones until the proxy is repaired. */
  break(): void;
  mend(): void;
  /** The number of connections so far. */
  readonly count: number;
}

export async function openBreakableLine(): Promise<BreakableLine> {
  const sockets = new Set<Socket>();
  let target: URL | undefined;
  let isBroken = false;
  let count = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}); // the proxy breaks connections on purpose
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (isBroken || target === undefined) return near.destroy();
    count += 1;
    const far = connect(Number(target.port), target.hostname);
    keep(far);
    near.pipe(far);
    far.pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    to(url) {
      target = new URL(url);
      return `http://127.0.0.1:${address.port}`;
    },
    cut,
    break() {
      isBroken = true;
      cut();
    },
    mend() {
      isBroken = false;
    },
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

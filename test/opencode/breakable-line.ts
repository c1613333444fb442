import { connect, createServer, type Socket } from "node:net";

/** For tests: a way to a server that can be cut, and kept cut. */
export interface BreakableLine extends AsyncDisposable {
  /** Where it begins, for a server at that address. */
  to(url: string): string;
  /** Breaks what is connected. */
  cut(): void;
  /** Breaks what is connected, and lets nothing through until it is mended. */
  break(): void;
  mend(): void;
  /** How many connections were made. */
  readonly count: number;
}

export async function openBreakableLine(): Promise<BreakableLine> {
  const sockets = new Set<Socket>();
  let target: URL | undefined;
  let isBroken = false;
  let count = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}); // that is what it is for
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
  if (address === null || typeof address === "string") throw new Error("no port");
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

import { connect, createServer, type Socket } from "node:net";

/** A proxy that loses responses: it forwards the request, and closes the connection before the response arrives. */
export interface LossyLine extends AsyncDisposable {
  readonly url: string;
  /** Loses the next `times` responses to requests that start with the text, such as `POST /v1/sessions`. */
  lose(request: string, times?: number): void;
  /** The number of lost responses. */
  readonly lost: number;
}

export async function openLossyLine(target: string): Promise<LossyLine> {
  const { port, hostname } = new URL(target);
  const sockets = new Set<Socket>();
  const doomed = { request: "", times: 0 };
  let lost = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => {}); // the proxy breaks connections on purpose
    return socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = keep(connect(Number(port), hostname));
    let isDoomed = false;
    keep(near).on("data", (bytes) => {
      isDoomed ||= doomed.times > 0 && bytes.toString("latin1").startsWith(`${doomed.request} `);
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (!isDoomed) return near.write(bytes);
      isDoomed = false;
      doomed.times--;
      lost++;
      return near.destroy();
    });
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    lose(request, times = 1) {
      Object.assign(doomed, { request, times });
    },
    get lost() {
      return lost;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

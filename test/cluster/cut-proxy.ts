import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Forwards connections to a NATS server, and can be cut like a network cable. */
export class CutProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(port: number): Promise<CutProxy> {
    const server = createServer();
    const proxy = new CutProxy(server);
    server.on("connection", (near) => {
      if (proxy.#isCut) return void near.destroy();
      const far = connect(port, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        proxy.#sockets.add(from);
        from.on("data", (data) => void (proxy.#isCut || to.write(data)));
        from.on("error", () => {}); // ignored, because a `close` event follows
        from.on("close", () => {
          proxy.#sockets.delete(from);
          to.destroy();
        });
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Stops forwarding without closing connections. Both sides have to detect the failure themselves. */
  cut(): void {
    this.#isCut = true;
  }

  /** Closes the cut connections and accepts new ones, as a repaired network does. */
  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}

import { rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";

/** Starts a proxy for the socket of an engine. A test can stop the proxy and start it again. */
export async function startRelay(path: string, engine: string) {
  const open = new Set<Socket>();
  const listen = () => {
    rmSync(path, { force: true });
    const server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ path: engine.replace("unix://", ""), allowHalfOpen: true });
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(one);
        one.on("error", () => other.destroy()).on("close", () => other.destroy());
        one.pipe(other);
      }
    });
    return new Promise<typeof server>((resolve) => {
      server.listen(path, () => resolve(server));
    });
  };
  let server = await listen();
  return {
    url: `unix://${path}`,
    async cut() {
      server.close();
      for (const socket of open) socket.destroy();
      rmSync(path, { force: true });
    },
    async mend() {
      server = await listen();
    },
  };
}

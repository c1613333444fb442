import { connectHalyard } from "../../src/client/index.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import { createHalyard } from "../../src/create-halyard.ts";
import { createServer, type ListenAddress } from "../../src/server/index.ts";
import { fakeAdapter } from "../../src/testing/fake/index.ts";

/**
 * Opens a Halyard instance behind a server and connects to it. Disposing the client also stops the sessions and closes
 * the server.
 */
export async function openServed(home: string, address: ListenAddress): Promise<Halyard> {
  const served = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
  const server = createServer(served, { token: "secret" });
  const listener = await server.listen(address);
  const client = await connectHalyard(listener.url, { token: "secret" });
  return withServer(client, async () => {
    await served[Symbol.asyncDispose]();
    await listener.close();
  });
}

/** Returns the client with a disposal that also closes its server, as the suite expects from a Halyard instance. */
function withServer(client: Halyard, closeServer: () => Promise<void>): Halyard {
  return new Proxy(client, {
    get(target, name) {
      if (name === Symbol.asyncDispose) {
        return async () => {
          await closeServer();
          await target[Symbol.asyncDispose]();
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

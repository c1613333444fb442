import type { Halyard } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { createServer, type ListenAddress } from "../server/index.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { newFixture } from "../testing/halyard/fixture.ts";
import { describeHalyard } from "../testing/halyard/index.ts";
import { connectHalyard } from "./index.ts";

describeHalyard("Halyard over a unix socket", () =>
  newFixture((home, count) => openServed(home, { socketPath: `${home}-${count}.sock` })),
);

describeHalyard("Halyard over TCP", () => newFixture((home) => openServed(home, { port: 0 })));

async function openServed(home: string, address: ListenAddress): Promise<Halyard> {
  const served = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
  const server = createServer(served, { token: "secret" });
  const listener = await server.listen(address);
  const client = await connectHalyard(listener.url, { token: "secret" });
  return withServer(client, async () => {
    await served[Symbol.asyncDispose]();
    await listener.close();
  });
}

/**
 * Returns the client with a disposal that also closes its server and its sessions, as the suite expects from a Halyard.
 */
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

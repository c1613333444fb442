import type { Halyard } from "../core/halyard.ts";
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

/** The client with its server, which ends with it: whoever disposes of a Halyard here means the one that runs sessions. */
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

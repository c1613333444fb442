import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Halyard } from "../core/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { createServer, type ListenAddress } from "../server/index.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import type { HalyardFixture } from "../testing/halyard/fixture.ts";
import { describeHalyard } from "../testing/halyard/index.ts";
import { connectHalyard } from "./index.ts";

describeHalyard("Halyard over a unix socket", () =>
  openFixture((directory, number) => ({ socketPath: join(directory, `${number}.sock`) })),
);

describeHalyard("Halyard over TCP", () => openFixture(() => ({ port: 0 })));

type Address = (directory: string, number: number) => ListenAddress;

async function openFixture(address: Address): Promise<HalyardFixture> {
  const directory = await mkdtemp(join(tmpdir(), "halyard-"));
  const home = join(directory, "home");
  const cwd = join(directory, "work");
  await mkdir(cwd);
  const opened: Halyard[] = [];
  const again = async () => {
    const served = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
    const server = createServer(served, { token: "secret" });
    const listener = await server.listen(address(directory, opened.length));
    const halyard = withServer(
      await connectHalyard(listener.url, { token: "secret" }),
      async () => {
        await served[Symbol.asyncDispose]();
        await listener.close();
      },
    );
    opened.push(halyard);
    return halyard;
  };
  return {
    halyard: await again(),
    cwd,
    again,
    async [Symbol.asyncDispose]() {
      for (const halyard of opened) await halyard[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
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

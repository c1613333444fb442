import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter, Connection, Output } from "../../src/core/adapter.ts";
import { createChannel } from "../../src/core/channel.ts";
import { InProcessHalyard } from "../../src/core/in-process.ts";
import type { Store, Writer } from "../../src/core/store.ts";
import type { RuntimeName } from "../../src/schema/runtime.ts";
import type { StartRequest } from "../../src/schema/session.ts";
import { MemoryStore } from "../../src/stores/memory.ts";

/** A connection that does nothing by itself; a test has it do what it is about. */
export function createConnection(overrides: Partial<Connection> = {}) {
  const output = createChannel<Output>();
  const connection: Connection = {
    ready: async () => ({}),
    output,
    send: async () => ({ status: "confirmed" }),
    steer: async () => ({ status: "confirmed" }),
    async cancel() {},
    async answer() {},
    async detach() {},
    async [Symbol.asyncDispose]() {
      output.end();
    },
    ...overrides,
  };
  const done = { type: "completion", status: "completed" } as const;
  return { connection, output, complete: () => output.push({ drafts: [done] }) };
}

/** Starts a session on that connection, and nothing else. */
export async function startSession(
  connection: Connection,
  store: Store = new MemoryStore(),
  request: Partial<StartRequest> = {},
) {
  const directory = await mkdtemp(join(tmpdir(), "halyard-"));
  const adapter = adapterOf(connection);
  const names: RuntimeName[] = ["test"];
  const halyard = await InProcessHalyard.open({
    store,
    adapters: {
      names: async () => names,
      resolve: async (name) => name,
      load: async () => adapter,
    },
    hosts: new Map([["local", { name: "local", spawn: refuse, attach: async () => undefined }]]),
    clock: { now: () => new Date(), elapsedMs: () => performance.now() },
    self: { pid: 1, startTime: "1", bootId: "1" },
    health: async () => "alive",
    directories: () => ({ run: join(directory, "run"), state: join(directory, "state") }),
    owns: () => true,
    choose: async () => ({ runtime: "test" }),
    secrets: [],
  });
  const session = await halyard.start({ cwd: directory, ...request });
  return {
    halyard,
    session,
    async [Symbol.asyncDispose]() {
      await session.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function adapterOf(connection: Connection): Adapter {
  return {
    name: "test",
    displayName: "Test",
    capabilities: ["cancel", "steer"],
    probe: async () => ({ available: true }),
    connect: async () => connection,
    createMapper: () => ({ map: () => [], flush: () => [] }),
  };
}

async function refuse(): Promise<never> {
  throw new Error("no processes here");
}

/** The same store, with other writers. */
export function withWriter(store: Store, wrap: (writer: Writer) => Writer): Store {
  return {
    create: async (...args) => wrap(await store.create(...args)),
    claim: async (...args) => wrap(await store.claim(...args)),
    find: (...args) => store.find(...args),
    list: (...args) => store.list(...args),
    read: (...args) => store.read(...args),
    readAll: (...args) => store.readAll(...args),
    watch: (...args) => store.watch(...args),
    remove: (...args) => store.remove(...args),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

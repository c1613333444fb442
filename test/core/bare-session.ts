import { join } from "node:path";
import type { Adapter, Connection, Output } from "../../src/core/adapter.ts";
import { createChannel } from "../../src/core/channel.ts";
import type { Gate } from "../../src/core/gate.ts";
import type { Halyard } from "../../src/core/halyard.ts";
import type { HostProcess } from "../../src/core/host.ts";
import { InProcessHalyard } from "../../src/core/in-process.ts";
import type { Store, Writer } from "../../src/core/store.ts";
import type { SessionId } from "../../src/schema/id.ts";
import type { RuntimeName } from "../../src/schema/runtime.ts";
import type { StartRequest } from "../../src/schema/start-request.ts";
import { MemoryStore } from "../../src/stores/memory.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

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
  gate?: Gate,
) {
  const directory = await temporaryDirectory();
  const halyard = await openHalyard(connection, { store, directory, pid: 1, gate });
  const session = await halyard.start({ cwd: directory, ...request });
  return {
    halyard,
    session,
    directory,
    [Symbol.asyncDispose]: () => session.stop(),
  };
}

/** Takes a session up as whoever comes after a process that died; its runtime, which is that connection, runs on. */
export async function takeUp(
  { session, directory }: { session: { id: SessionId }; directory: string },
  connection: Connection,
  store: Store,
) {
  const halyard = await openHalyard(connection, { store, directory, pid: 2 });
  return halyard.resume(session.id);
}

interface Place {
  readonly store: Store;
  readonly directory: string;
  /** Whoever has another one is dead. */
  readonly pid: number;
  readonly gate?: Gate | undefined;
}

async function openHalyard(
  connection: Connection,
  { store, directory, pid, gate }: Place,
): Promise<Halyard> {
  const adapter = adapterOf(connection);
  const names: RuntimeName[] = ["test"];
  const attach = async () => running;
  return InProcessHalyard.open({
    store,
    adapters: {
      names: async () => names,
      resolve: async (name) => name,
      load: async () => adapter,
    },
    hosts: new Map([["local", { name: "local", spawn: refuse, attach }]]),
    clock: { now: () => new Date(), elapsedMs: () => performance.now() },
    self: { pid, startTime: "1", bootId: "1" },
    health: async (owner) => (owner.pid === pid ? "alive" : "dead"),
    directories: () => ({ run: join(directory, "run"), state: join(directory, "state") }),
    owns: () => true,
    abandoned: new Set(),
    choose: async () => ({ runtime: "test" }),
    secrets: [],
    ...(gate && { gate }),
  });
}

/** The process of every session's runtime. */
const running: HostProcess = {
  identity: { pid: 3, startTime: "1", bootId: "1" },
  exit: new Promise(() => {}),
  async *output() {},
  stderrTail: async () => "",
  write: refuse,
  health: async () => "alive",
  async terminate() {},
  async detach() {},
  async [Symbol.asyncDispose]() {},
};

function adapterOf(connection: Connection): Adapter {
  return {
    name: "test",
    displayName: "Test",
    capabilities: ["cancel", "steer", "attach"],
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

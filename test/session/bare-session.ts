import { join } from "node:path";
import { createChannel } from "../../src/async/channel.ts";
import type { Adapter, Connection, Output } from "../../src/contracts/adapter.ts";
import type { Gate } from "../../src/contracts/gate.ts";
import type { Halyard } from "../../src/contracts/halyard.ts";
import type { HostProcess } from "../../src/contracts/host.ts";
import type { Store, Writer } from "../../src/contracts/store.ts";
import { InProcessHalyard } from "../../src/in-process/in-process-halyard.ts";
import type { SessionId } from "../../src/schema/id.ts";
import type { RuntimeName } from "../../src/schema/runtime.ts";
import type { StartRequest } from "../../src/schema/session/start-request.ts";
import { MemoryStore } from "../../src/stores/memory.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/**
 * Creates a connection that confirms each message and emits nothing. Also returns its output channel, and a function that emits
 * a completion. A test overrides the methods that it needs.
 */
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

/** Starts a session on a connection, in a minimal Halyard instance. */
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

/** Attaches to a session after its owner died. Its runtime, which is the given connection, is still running. */
export async function takeUp(
  { session, directory }: { session: { id: SessionId }; directory: string },
  connection: Connection,
  store: Store,
) {
  const halyard = await openHalyard(connection, { store, directory, pid: 2 });
  return halyard.resume(session.id);
}

interface SessionPaths {
  readonly store: Store;
  readonly directory: string;
  /** The pid of the only living owner. Every other owner is dead. */
  readonly pid: number;
  readonly gate?: Gate | undefined;
}

async function openHalyard(
  connection: Connection,
  { store, directory, pid, gate }: SessionPaths,
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
    whileMoving: (_, task) => task(),
    resolve: async (request) => ({
      decision: { runtime: "test", source: "built-in", explicit: false, steps: [] },
      request: {
        ...request,
        permissions: request.permissions ?? "ask",
        host: request.host ?? "local",
      },
      sources: { model: "", permissions: "", host: "" },
      warnings: [],
    }),
    secrets: [],
    ...(gate && { gate }),
  });
}

/** The process of the runtime, the same for every session. */
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
  throw new Error("This host starts no processes.");
}

/** Returns a store with the same data, whose writers are wrapped. */
export function withWriter(store: Store, wrap: (writer: Writer) => Writer): Store {
  return {
    create: async (...args) => wrap(await store.create(...args)),
    claim: async (...args) => wrap(await store.claim(...args)),
    find: (...args) => store.find(...args),
    list: (...args) => store.list(...args),
    read: (...args) => store.read(...args),
    readBefore: (...args) => store.readBefore(...args),
    readAll: (...args) => store.readAll(...args),
    lastPosition: () => store.lastPosition(),
    watch: (...args) => store.watch(...args),
    search: (...args) => store.search(...args),
    remove: (...args) => store.remove(...args),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

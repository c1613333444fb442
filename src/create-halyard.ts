import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createRegistry } from "./adapters/registry.ts";
import { homeDirectory } from "./config/paths.ts";
import type { Adapter } from "./core/adapter.ts";
import type { Clock } from "./core/clock.ts";
import type { Halyard } from "./core/halyard.ts";
import { InProcessHalyard } from "./core/in-process.ts";
import { isSecretName } from "./core/redaction.ts";
import type { Store } from "./core/store.ts";
import { createLocalHost } from "./hosts/local/index.ts";
import { isSameProcess, ownIdentity } from "./hosts/local/process-identity.ts";
import type { SessionId } from "./schema/id.ts";
import type { RuntimeName } from "./schema/runtime.ts";

/** What a Halyard is made with. */
export interface HalyardOptions {
  /** Where sessions are kept: `HALYARD_HOME`, or `.halyard` in the user's home, unless given. */
  readonly home?: string;
  /** What runtimes may draw from, by an allow-list: this process's environment unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `memory` keeps nothing once the process ends. */
  readonly store?: "sqlite" | "memory";
  /** Runtimes beside the built-in ones. */
  readonly adapters?: readonly Adapter[];
  /** Run runtimes as processes that go on when this one ends, also those that could run inside it. */
  readonly outlive?: boolean;
  /** For sessions started without one: `pi` unless given. */
  readonly defaultRuntime?: RuntimeName;
}

/** Halyard in this process, on this machine. */
export async function createHalyard(options: HalyardOptions = {}): Promise<Halyard> {
  const { env = process.env, adapters = [], store = "sqlite", defaultRuntime = "pi" } = options;
  const { outlive = false } = options;
  const home = options.home ?? homeDirectory(env);
  await mkdir(home, { recursive: true, mode: 0o700 });
  return InProcessHalyard.open({
    store: await openStore(store, home),
    adapters: createRegistry({ env, outlive, runtimesDir: join(home, "runtimes") }, adapters),
    hosts: new Map([["local", createLocalHost()]]),
    clock: systemClock,
    self: ownIdentity(),
    health: async (owner) => isSameProcess(owner),
    directories: (id: SessionId) => ({
      run: join(home, "run", id),
      state: join(home, "sessions", id),
    }),
    choose: async () => ({ runtime: defaultRuntime }),
    secrets: secretsIn(env),
  });
}

async function openStore(kind: "sqlite" | "memory", home: string): Promise<Store> {
  if (kind === "memory") return new (await import("./stores/memory.ts")).MemoryStore();
  const { openSqliteStore } = await import("./stores/sqlite/store.ts");
  return openSqliteStore(join(home, "halyard.db"));
}

const systemClock: Clock = { now: () => new Date(), elapsedMs: () => performance.now() };

function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value && isSecretName(name) ? [value] : [],
  );
}

import type { Adapter } from "../core/adapter.ts";
import type { AdapterSource } from "../core/runtimes.ts";

/** What an adapter may draw from. */
export interface AdapterContext {
  /** The environment of whoever started us; an adapter passes on what its runtime needs and nothing else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where runtimes are that `halyard runtime install` put there. */
  readonly runtimesDir: string;
  /** Sessions should go on when this process ends: no runtime is to run inside it that can run beside it. */
  readonly outlive: boolean;
}

/** Name → adapter, loaded when asked for. Adding a runtime is one line here. */
const builtIn: Record<string, (context: AdapterContext) => Promise<Adapter>> = {
  ccsdk: async (context) => (await import("./claude/sdk.ts")).ccsdkAdapter(context),
  claude: async (context) => (await import("./claude/index.ts")).claudeAdapter(context),
  codex: async (context) => (await import("./codex/index.ts")).codexAdapter(context),
  droid: async (context) => (await import("./droid/index.ts")).droidAdapter(context),
  opencode: async (context) => (await import("./opencode/index.ts")).opencodeAdapter(context),
  pi: async ({ outlive, ...context }) =>
    (await import("./pi/index.ts")).piAdapter({ ...context, mode: outlive ? "rpc" : "sdk" }),
};

/** The built-in runtimes and the given ones, of which the given ones win. */
export function createRegistry(context: AdapterContext, given: readonly Adapter[]): AdapterSource {
  const loaded = new Map(given.map((adapter) => [adapter.name, Promise.resolve(adapter)]));
  return {
    names: [...new Set([...Object.keys(builtIn), ...loaded.keys()])],
    load(name) {
      const adapter = loaded.get(name) ?? builtIn[name]?.(context);
      if (adapter === undefined) return Promise.reject(new Error(`no adapter for ${name}`));
      loaded.set(name, adapter);
      return adapter;
    },
  };
}

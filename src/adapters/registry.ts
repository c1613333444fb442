import type { Adapter, AdapterSource } from "../contracts/adapter.ts";
import type { Environment } from "../programs/environment.ts";
import type { HostName } from "../schema/host.ts";
import { canonicalName } from "../schema/runtimes/built-in-runtimes.ts";
import type { RuntimeEntry } from "../schema/runtimes/runtime-entry.ts";

/** The values that all adapters receive. */
export interface AdapterContext {
  /** The environment of this process. An adapter passes on only the variables that its runtime needs. */
  readonly env: Environment;
  /** The directory in which `halyard runtime install` installs runtimes. */
  readonly runtimesDir: string;
  /** True if sessions continue after this process exits, so that runtimes run as separate processes. */
  readonly detached: boolean;
  /** Functions that convert the environment for runtimes, by host. Only hosts with their own programs have one. */
  readonly elsewhere?: ReadonlyMap<HostName, (env: Environment) => Environment>;
  /** Returns the environment with a caller's credentials. Returns undefined if `env` already contains the credentials. */
  readonly envFor?: (credentials: Readonly<Record<string, string>>) => Environment | undefined;
  /** Returns the user's current entries, by name. Defaults to none. */
  readonly entries?: () => Promise<Readonly<Record<string, RuntimeEntry>>>;
}

/** The values that one adapter receives. */
type Context = Omit<AdapterContext, "entries" | "elsewhere" | "envFor"> & ProgramEntry;

/** The built-in runtimes, by name. Each adapter is loaded only when it is needed. */
const builtIn: Record<string, (context: Context) => Promise<Adapter>> = {
  acp: async (context) => {
    const { acpAdapter } = await import("./acp/index.ts");
    return acpAdapter({ ...context, ...(await programSettings()) });
  },
  ccsdk: async (context) => (await import("./claude/sdk/sdk.ts")).ccsdkAdapter(context),
  claude: async (context) => (await import("./claude/index.ts")).claudeAdapter(context),
  codex: async (context) => (await import("./codex/index.ts")).codexAdapter(context),
  droid: async (context) => (await import("./droid/index.ts")).droidAdapter(context),
  opencode: async (context) => (await import("./opencode/index.ts")).opencodeAdapter(context),
  pi: async (context) => {
    const mode = await modeOfPi(context);
    return (await import("./pi/index.ts")).piAdapter({ ...context, mode });
  },
};

/**
 * Combines the built-in, registered and given runtimes. A given runtime replaces any other runtime with the same name. An
 * entry of the user with the name of a built-in runtime changes how this runtime starts.
 */
export function createRegistry(context: AdapterContext, given: readonly Adapter[]): AdapterSource {
  const { entries = noEntries, elsewhere, envFor, ...own } = context;
  const givenByName = new Map(given.map((adapter) => [adapter.name, adapter]));
  const loaded = new Map<string, { key: string; adapter: Promise<Adapter> }>();
  const names = async (): Promise<string[]> => {
    const registered = Object.keys(await entries());
    const { presets } = await import("./acp/agent/presets.ts");
    const named = presets.map(({ name }) => name);
    return [...new Set([...Object.keys(builtIn), ...givenByName.keys(), ...registered, ...named])];
  };
  return {
    names,
    added: async () => new Set([...givenByName.keys(), ...Object.keys(await entries())]),
    async resolve(name) {
      if (Object.hasOwn(builtIn, name)) return name;
      const known = await names();
      return [name, canonicalName(name)].find((one) => known.includes(one));
    },
    async load(name, host, credentials) {
      const theirs = givenByName.get(name);
      if (theirs) return theirs;
      const there = host && elsewhere?.get(host);
      const env = credentials && envFor?.(credentials);
      if (env) {
        if (there) return buildElsewhere(name, { ...own, env: there(env) });
        return build(name, (await entries())[name], { ...own, env });
      }
      if (there) {
        const location = `${host}/${name}`;
        const held = loaded.get(location) ?? {
          key: "",
          adapter: buildElsewhere(name, { ...own, env: there(own.env) }),
        };
        loaded.set(location, held);
        return held.adapter;
      }
      const entry = (await entries())[name];
      // Checked each time, because an installation can change how Pi runs while this process is running.
      const mode = name === "pi" ? await modeOfPi({ ...own, ...programOf(entry) }) : undefined;
      const key = JSON.stringify([entry ?? null, mode]);
      const held = loaded.get(name);
      if (held?.key === key) return held.adapter;
      const adapter = build(name, entry, own);
      loaded.set(name, { key, adapter });
      return adapter;
    },
  };
}

const noEntries = async (): Promise<Record<string, RuntimeEntry>> => ({});

/**
 * Creates the adapter for a host that has its own programs, such as a container. The runtime always runs as a separate
 * process. Only built-in runtimes except `ccsdk` are available there.
 */
async function buildElsewhere(name: string, context: Context): Promise<Adapter> {
  const load = name === "ccsdk" ? undefined : builtIn[name];
  if (load) return load({ ...context, detached: true, bin: name });
  const reason =
    name === "ccsdk"
      ? "it runs only inside Halyard's own process, but the runtime claude can run here"
      : "no image contains it";
  return unavailable(name, reason);
}

async function unavailable(name: string, reason: string): Promise<Adapter> {
  const { unavailableAdapter } = await import("./unavailable.ts");
  return unavailableAdapter(name, reason);
}

async function build(
  name: string,
  entry: RuntimeEntry | undefined,
  context: Context,
): Promise<Adapter> {
  const load = builtIn[name];
  if (load === undefined) return buildShared(name, entry, context);
  if (entry === undefined) return load(context);
  const { withEntry } = await import("./registry-entry.ts");
  return withEntry(await load({ ...context, ...programOf(entry) }), entry);
}

type ProgramEntry = Pick<RuntimeEntry, "bin" | "args" | "delivery">;

/** Returns the part of an entry that decides which program runs. */
function programOf({ bin, args, delivery }: ProgramEntry = {}): ProgramEntry {
  return {
    ...(bin !== undefined && { bin }),
    ...(args !== undefined && { args }),
    ...(delivery !== undefined && { delivery }),
  };
}

/**
 * Returns `rpc` if Pi must run as a separate process, otherwise `sdk`. Pi is a separate process if sessions continue after
 * this process exits, or if the user's entry sets a program, arguments or the delivery `stdin`. See also `piMode`.
 */
async function modeOfPi({ detached, args, delivery, ...paths }: Context): Promise<"sdk" | "rpc"> {
  if (detached || args !== undefined || delivery === "stdin") return "rpc";
  return (await import("./pi/find.ts")).piMode(paths);
}

/** Creates the adapter for an ACP preset or for a runtime that the user has registered. */
async function buildShared(
  name: string,
  entry: RuntimeEntry | undefined,
  context: Context,
): Promise<Adapter> {
  const { presets } = await import("./acp/agent/presets.ts");
  const preset = presets.find((one) => one.name === name);
  if (entry) {
    const { ownRuntime } = await import("./own-runtime.ts");
    return ownRuntime(name, entry, { env: context.env, preset });
  }
  if (preset) {
    const { presetAdapter } = await import("./acp/index.ts");
    return presetAdapter(preset, { ...context, ...(await programSettings()) });
  }
  return unavailable(name, "it is not registered");
}

/**
 * Returns the option `settingsOf` for adapters that can run any program. The function is an option, because adapters do
 * not import each other.
 */
async function programSettings() {
  return { settingsOf: (await import("./project-settings.ts")).settingsOfProgram };
}

import { dirname, join } from "node:path";
import { createRegistry } from "./adapters/registry.ts";
import { createOwners } from "./client/owners.ts";
import { inGasTown } from "./compat/gas-town/labels-in.ts";
import type { Config } from "./config/config.ts";
import { effectiveSettings } from "./config/effective-settings.ts";
import { keysIn } from "./config/models/keys.ts";
import { homeDirectory, ownEnvironment, ownerSocket, tmuxSocket } from "./config/paths.ts";
import { type ConfigReader, toConfigReader } from "./config/reader.ts";
import { resolveSession } from "./config/resolve-session.ts";
import { trustedBy } from "./config/trust/directory-trust.ts";
import { findSettings } from "./config/trust/find-settings.ts";
import { realDirectory } from "./config/trust/is-trusted.ts";
import { userTrust } from "./config/trust/user-trust.ts";
import { worktreeOrigin } from "./config/trust/worktree-origin.ts";
import type { Adapter } from "./contracts/adapter.ts";
import type { Clock } from "./contracts/clock.ts";
import type { Halyard } from "./contracts/halyard.ts";
import type { Host, ProcessIdentity } from "./contracts/host.ts";
import type { Store } from "./contracts/store.ts";
import { makeHome } from "./files/make-home.ts";
import { HookDispatcher } from "./hooks/dispatcher.ts";
import type { Hook } from "./hooks/open-sink.ts";
import { HookOutbox } from "./hooks/outbox.ts";
import { createSinkSource } from "./hooks/sink-source.ts";
import { createEngines } from "./hosts/container/engines/create-engines.ts";
import { containerEnvironment } from "./hosts/container/environment.ts";
import {
  containerDirectories,
  createContainerHost,
  isContainerRun,
} from "./hosts/container/index.ts";
import { createLocalHost } from "./hosts/local/index.ts";
import { isSameProcess, ownIdentity } from "./hosts/local/process-identity.ts";
import { createTmuxHost } from "./hosts/tmux/index.ts";
import { InProcessHalyard } from "./in-process/in-process-halyard.ts";
import { knownRuntime } from "./in-process/runtimes.ts";
import { secretsIn } from "./log/redaction/secrets.ts";
import {
  allowedEnvironment,
  withAbsoluteDirectories,
  withCredentials,
  withOtherCredentials,
} from "./programs/environment.ts";
import { logServer } from "./programs/log-server.ts";
import { createProjectGate } from "./projects/gate.ts";
import type { SessionId } from "./schema/id.ts";
import type { HostName, RuntimeName } from "./schema/runtime.ts";
import type { SessionInfo } from "./schema/session.ts";
import { openStore } from "./stores/open-store.ts";
import { createWorkspaces } from "./workspace/workspaces.ts";

/** Options of `createHalyard`. */
export interface HalyardOptions {
  /**
   * The directory that contains sessions.
   * @defaultValue `HALYARD_HOME`, otherwise `.halyard` in the home directory of the user
   * @example "/var/lib/halyard"
   */
  readonly home?: string | undefined;
  /**
   * The environment. Runtimes receive only its allow-listed variables.
   * @defaultValue the environment of this process
   * @example { PATH: process.env.PATH }
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * The store of sessions and events. `"sqlite"` is a file in `home`, `"memory"` keeps events until the process ends. A
   * store of the caller is disposed together with this Halyard.
   * @defaultValue `"sqlite"`
   * @example "memory"
   */
  readonly store?: "sqlite" | "memory" | Store | undefined;
  /**
   * Hosts that replace the built-in hosts of the same name.
   * @defaultValue none
   * @example [myTmuxHost]
   */
  readonly hosts?: readonly Host[] | undefined;
  /**
   * Adapters of further runtimes.
   * @defaultValue none
   * @example [myAdapter]
   */
  readonly adapters?: readonly Adapter[] | undefined;
  /**
   * True to run all runtimes as processes that continue after this process exits, including runtimes that could run in this process.
   * @defaultValue false
   * @example true
   */
  readonly detached?: boolean | undefined;
  /**
   * What happens to running sessions on dispose: `"stop"` them, or `"detach"` from them, for another Halyard to resume.
   * A session whose runtime cannot run without this process is stopped in both cases.
   * @defaultValue `"stop"`
   * @example "detach"
   */
  readonly onDispose?: "stop" | "detach" | undefined;
  /**
   * The runtime of sessions that name none, if the configuration names none either.
   * @defaultValue `"pi"`
   * @example "claude"
   */
  readonly defaultRuntime?: RuntimeName | undefined;
  /**
   * The configuration for values that a request omits: a reader that reads the files again for every session, or a fixed configuration.
   * @defaultValue no file is read
   * @example createConfigReader()
   */
  readonly config?: ConfigReader | Config | undefined;
  /**
   * Directories that the caller trusts, including all directories below them, in addition to those that the user trusts.
   * @defaultValue none
   * @example ["/srv/repositories"]
   */
  readonly trust?: readonly string[] | undefined;
  /**
   * Hooks for all sessions, in addition to those of the configuration.
   * @defaultValue none
   * @example [(payload) => console.log(payload.event)]
   */
  readonly hooks?: readonly Hook[] | undefined;
  /**
   * True to index new events for `search` in the background, as the daemon does. Otherwise a search indexes them first.
   * @defaultValue false
   * @example true
   */
  readonly upkeep?: boolean | undefined;
  /**
   * Called when the log of a session waits for a disk that is full or locked.
   * @defaultValue emits a process warning
   * @example (problem) => console.error(problem)
   */
  readonly onStoreProblem?: ((problem: string) => void) | undefined;
  /**
   * Called when a hook cannot be delivered.
   * @defaultValue emits a process warning
   * @example (problem) => console.error(problem)
   */
  readonly onHookProblem?: ((problem: string) => void) | undefined;
}

/** Creates a Halyard that runs sessions in this process. */
export async function createHalyard(options: HalyardOptions = {}): Promise<Halyard> {
  const { adapters = [], store = "sqlite", defaultRuntime = "pi" } = options;
  const env = options.env ? withAbsoluteDirectories(options.env) : ownEnvironment();
  const { detached = false, onDispose = "stop" } = options;
  const home = await makeHome(options.home ?? homeDirectory(env));
  const reader = toConfigReader(options.config);
  const secrets = new Set(secretsIn(env));
  const trusts = await trustOf(options, home, env);
  const configFor = async ({ cwd: here, project, trust }: ConfigScope): Promise<Config> => {
    const cwd = (await worktreeOrigin(here, home))?.directory ?? here; // its untracked files are not in the worktree
    const trusted = trust === true || (await trusts({ cwd }));
    const config = await reader.read({ cwd, project, trusted });
    for (const key of [...keysIn(config, env), ...registeredSecrets(config)]) secrets.add(key);
    return config;
  };
  const hosts: ReadonlyMap<HostName, Host> = new Map([
    ["local", createLocalHost({ directory: home })],
    ["tmux", createTmuxHost({ socket: tmuxSocket(home), env })],
    ["container", createContainerHost({ home, engines: createEngines(env) })],
    ...(options.hosts ?? []).map((host): [HostName, Host] => [host.name, host]),
  ]);
  const runtimesDir = join(home, "runtimes");
  const entries = async () => (await reader.registry()).runtimes;
  const envFor = (credentials: Record<string, string>) => withOtherCredentials(env, credentials);
  const elsewhere = new Map([["container" as const, containerEnvironment]]);
  const { hooks = [], onHookProblem: onProblem = warn, onStoreProblem = warn } = options;
  const also = async (session: SessionInfo) => effectiveSettings(await configFor(session)).hooks;
  const hookContext = { env: allowedEnvironment(env), secrets: env, now: systemClock.now };
  const sinks = await createSinkSource({ always: hooks, also }, hookContext);
  const limitsOf = async (session: SessionInfo) => {
    const { limitsIn } = await import("./projects/limits.ts"); // most sessions belong to no project
    return limitsIn(await configFor(session));
  };
  const opened = await openStore(store, home, { indexes: options.upkeep ?? false });
  const warned = new Set<string>();
  const warnOnce = (warning: string) => {
    if (!warned.has(warning)) warn(warning);
    warned.add(warning);
  };
  const self = ownIdentity();
  const health = async (owner: ProcessIdentity) => isSameProcess(owner);
  const settingsFor = async (cwd: string) =>
    effectiveSettings(await configFor({ cwd })).worktree ?? {};
  const openWorktrees = async () => {
    const { createWorktrees } = await import("./workspace/worktree/worktrees.ts"); // most sessions have none
    return createWorktrees({ home, env, maker: self, health, now: systemClock.now, settingsFor });
  };
  const hasHooks = hooks.length > 0 || options.config !== undefined;
  const registry = createRegistry(
    { env, envFor, detached, runtimesDir, entries, elsewhere },
    adapters,
  );
  const outbox = store === "sqlite" ? openOutbox(home) : undefined;
  const audience = hasHooks ? new HookDispatcher(sinks, { onProblem, outbox }) : undefined;
  const halyard = await InProcessHalyard.open({
    store: opened,
    adapters: registry,
    hosts,
    clock: systemClock,
    self,
    health,
    worktrees: {
      make: async (...given) => (await openWorktrees()).make(...given),
      list: async (...given) => (await openWorktrees()).list(...given),
      prune: async (...given) => (await openWorktrees()).prune(...given),
      adopt: async (...given) => (await openWorktrees()).adopt(...given),
    },
    directories: (id: SessionId, session?: SessionInfo) =>
      session?.host === "container"
        ? containerDirectories(home, session)
        : { run: join(home, "run", id), state: join(home, "sessions", id) },
    owns: (runDir, host) =>
      host === "container" ? isContainerRun(home, runDir) : dirname(runDir) === join(home, "run"),
    resolve: async (request, { isNew }) => {
      const { from } = request.model ?? {};
      const resolved = await resolveSession(await configFor(request), request, {
        env: withCredentials(env, request.credentials),
        isNew,
        isEndpointTrusted:
          from === undefined || request.trust === true || (await trusts({ cwd: from })),
        usesVariables: options.config !== undefined,
        hosts: new Set(hosts.keys()),
        lastResort: defaultRuntime,
        takesEndpoints: async ({ runtime }) =>
          (await registry.load(await knownRuntime(registry, runtime))).capabilities.includes(
            "endpoints",
          ),
      });
      const { decision, warnings } = resolved;
      for (const warning of warnings) warnOnce(warning);
      return { ...resolved, request: inGasTown(resolved.request, decision.runtime) };
    },
    trusts,
    workspaces: createWorkspaces({ home, env, isTemporary: store === "memory" }),
    settingsIn: (cwd, settings) => findSettings(cwd, [{ runtime: "", settings }], env),
    ...(options.config && {
      gate: createProjectGate({
        sessions: async (filter) => (await opened.list(filter)).map(({ info }) => info),
        limitsOf,
      }),
    }),
    ...(audience && { audience }),
    onDispose,
    onBlocked: (id, { message }) =>
      onStoreProblem(`${id} waits until its log can be written: ${message}`),
    owners: createOwners((owner) => ownerSocket(home, owner)),
    abandoned: new Set(),
    protectedDirs: [home],
    ...(store === "sqlite" && { home, logServer: (id: SessionId) => logServer(id, home) }),
    env,
    get secrets() {
      return [...secrets];
    },
  });
  if (options.upkeep) audience?.resume(async (id) => (await opened.find(id))?.info);
  return halyard;
}

/** Opens the undelivered hook payloads of all processes that use a home. */
function openOutbox(home: string): HookOutbox {
  return new HookOutbox(join(home, "hooks"), {
    owner: JSON.stringify(ownIdentity()),
    isAlive: async (owner) => isSameProcess(JSON.parse(owner)) !== "dead",
    now: systemClock.now,
  });
}

/** The fields of a request that its configuration depends on. */
type ConfigScope = Pick<SessionInfo, "cwd" | "project"> & { readonly trust?: boolean | undefined };

/** Returns the check for trusted directories: those of the caller, and those of the user if files are read. */
async function trustOf(
  { trust = [], config }: HalyardOptions,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<(request: { readonly cwd: string }) => Promise<boolean>> {
  const vouched = await Promise.all(trust.map(realDirectory));
  const runtimeSettings = async () =>
    (await import("./adapters/project-settings.ts")).builtInProjectSettings;
  return async ({ cwd }) => {
    const real = (await worktreeOrigin(cwd, home))?.directory ?? (await realDirectory(cwd));
    if (trustedBy(real, vouched) !== undefined) return true;
    return config !== undefined && (await userTrust(cwd, { home, env, runtimeSettings })).trusted;
  };
}

function registeredSecrets({ registry }: Config): string[] {
  return Object.values(registry?.value?.runtimes ?? {}).flatMap(({ env = {} }) => secretsIn(env));
}

function warn(problem: string): void {
  process.emitWarning(problem);
}

const systemClock: Clock = { now: () => new Date(), elapsedMs: () => performance.now() };

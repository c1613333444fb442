import { dirname, join } from "node:path";
import { createRegistry } from "./adapters/registry.ts";
import { Lanes } from "./async/lanes.ts";
import { createOwners } from "./client/owners.ts";
import { inGasTown } from "./compat/gas-town/labels-in.ts";
import type { Config } from "./config/config.ts";
import { effectiveSettings } from "./config/effective-settings.ts";
import { keysIn } from "./config/models/keys.ts";
import { usesModelVariables } from "./config/models/model-choice.ts";
import { homeDirectory, ownEnvironment, ownerSocket, tmuxSocket } from "./config/paths.ts";
import { pricesIn } from "./config/prices-in.ts";
import { toConfigReader } from "./config/reader.ts";
import { resolveSession } from "./config/resolve-session.ts";
import { trustedBy } from "./config/trust/directory-trust.ts";
import { findSettings } from "./config/trust/find-settings.ts";
import { realDirectory } from "./config/trust/is-trusted.ts";
import { userTrust } from "./config/trust/user-trust.ts";
import { worktreeOrigin } from "./config/trust/worktree-origin.ts";
import type { Checkouts } from "./contracts/checkouts.ts";
import type { Clock } from "./contracts/clock.ts";
import type { Halyard } from "./contracts/halyard.ts";
import type { Host, ProcessIdentity } from "./contracts/host.ts";
import type { Store } from "./contracts/store.ts";
import { makeHome } from "./files/make-home.ts";
import type { HalyardOptions } from "./halyard-options.ts";
import { HookCursors } from "./hooks/cursors.ts";
import { HookDispatcher } from "./hooks/dispatcher.ts";
import { HookOutbox } from "./hooks/outbox.ts";
import { createSinkSource } from "./hooks/sinks/sink-source.ts";
import { createEngines } from "./hosts/container/engines/create-engines.ts";
import { containerEnvironment } from "./hosts/container/environment.ts";
import {
  containerDirectories,
  createContainerHost,
  isContainerRun,
} from "./hosts/container/index.ts";
import { createLocalHost } from "./hosts/local/index.ts";
import { healthOfProcess, ownIdentity } from "./hosts/local/process-identity.ts";
import { createTmuxHost } from "./hosts/tmux/index.ts";
import { InProcessHalyard } from "./in-process/in-process-halyard.ts";
import { createPeers } from "./in-process/peers.ts";
import { knownRuntime } from "./in-process/runtimes.ts";
import { combineAudiences } from "./log/combine-audiences.ts";
import { secretsIn } from "./log/redaction/secrets.ts";
import {
  allowedEnvironment,
  withAbsoluteDirectories,
  withCredentials,
  withOtherCredentials,
} from "./programs/environment.ts";
import { logServer } from "./programs/log-server.ts";
import { createProjectGate } from "./projects/gate.ts";
import type { HostName } from "./schema/host.ts";
import type { SessionId } from "./schema/id.ts";
import type { SessionInfo } from "./schema/session.ts";
import { WakeSlots } from "./session/pauses/wake-slots.ts";
import { openStore } from "./stores/open-store.ts";
import { ProcessMetrics } from "./telemetry/metrics/process-metrics.ts";
import { openTelemetry } from "./telemetry/open-telemetry.ts";
import { repositoryFilters } from "./workspace/git/repository-filters.ts";
import { createWorkspaces } from "./workspace/workspaces.ts";

/** Creates a `Halyard` that runs sessions in this process. */
export async function createHalyard(options: HalyardOptions = {}): Promise<Halyard> {
  const { adapters = [], store = "sqlite", defaultRuntime } = options;
  const env = options.env ? withAbsoluteDirectories(options.env) : ownEnvironment();
  const { detached = false, onDispose = "stop" } = options;
  const home = await makeHome(options.home ?? homeDirectory(env));
  const reader = toConfigReader(options.config);
  const secrets = new Set(secretsIn(env));
  const trusts = await trustOf(options, home, env);
  const telemetry = openTelemetry(options, env);
  const configFor = async ({ cwd: here, project, trust }: ConfigScope): Promise<Config> => {
    // read from the worktree's origin, because the worktree does not contain untracked files
    const cwd = (await worktreeOrigin(here, home))?.directory ?? here;
    const trusted = trust === true || (await trusts({ cwd }));
    const config = await reader.read({ cwd, project, trusted });
    for (const key of [...keysIn(config, env), ...registeredSecrets(config)]) secrets.add(key);
    telemetry.configure(config);
    return config;
  };
  const hosts: ReadonlyMap<HostName, Host> = new Map([
    ["local", createLocalHost({ directory: home })],
    ["tmux", createTmuxHost({ socket: tmuxSocket(home), env })],
    ["container", createContainerHost({ home, engines: createEngines(env) })],
    ...(options.hosts ?? []).map((host): [HostName, Host] => [host.name, host]),
  ]);
  const entries = async () => (await reader.registry()).runtimes;
  const envFor = (credentials: Record<string, string>) => withOtherCredentials(env, credentials);
  const elsewhere = new Map([["container" as const, containerEnvironment]]);
  const { hooks = [], onHookProblem: onProblem = warn, onStoreProblem = warn } = options;
  const also = async (session: SessionInfo) => effectiveSettings(await configFor(session)).hooks;
  const { now } = systemClock;
  const hookContext = { env: allowedEnvironment(env), secrets: env, now };
  const sinks = await createSinkSource({ always: hooks, also }, hookContext);
  const limitsOf = async (session: SessionInfo) => {
    // loaded on demand, because most sessions belong to no project
    const { limitsIn } = await import("./projects/limits.ts");
    return limitsIn(await configFor(session));
  };
  const metrics = new ProcessMetrics();
  const opened = metrics.measure(
    await openStore(store, home, { indexes: options.upkeep ?? false }),
  );
  const warned = new Set<string>();
  const warnOnce = (warning: string) => {
    if (!warned.has(warning)) warn(warning);
    warned.add(warning);
  };
  const { membership, runtimesDir = join(home, "runtimes") } = options;
  const self = { ...ownIdentity(), ...(membership && { machine: membership.machine }) };
  const sockets = createOwners((owner) => ownerSocket(home, owner));
  const peers = createPeers(membership, { self, sockets, healthOfProcess });
  const settingsFor = async (cwd: string) =>
    effectiveSettings(await configFor({ cwd })).worktree ?? {};
  const openWorktrees = async () => {
    // loaded on demand, because most sessions have no worktree
    const { createWorktrees } = await import("./workspace/worktree/worktrees.ts");
    // the process is on this machine, because worktrees are always local
    const isAlive = async (maker: ProcessIdentity) => healthOfProcess(maker);
    return createWorktrees({ home, env, maker: self, health: isAlive, now, settingsFor });
  };
  let checkouts: Promise<Checkouts> | undefined;
  const openCheckouts = (): Promise<Checkouts> => {
    checkouts ??= import("./workspace/checkout/checkouts.ts").then(({ createCheckouts }) =>
      createCheckouts({ home, env }),
    );
    return checkouts;
  };
  const moves = new Lanes();
  const hasHooks = hooks.length > 0 || options.config !== undefined;
  const registry = createRegistry(
    { env, envFor, detached, runtimesDir, entries, elsewhere },
    adapters,
  );
  const kept = store === "sqlite" ? openHookFiles(home) : undefined;
  const read: Store["read"] = (...given) => opened.read(...given);
  const dispatcher = hasHooks ? new HookDispatcher(sinks, { onProblem, read, ...kept }) : undefined;
  const audience = combineAudiences([
    dispatcher,
    telemetry.audience({
      prepare: async () => void (options.config && (await configFor({ cwd: home }))),
      read,
    }),
  ]);
  const halyard = await InProcessHalyard.open({
    store: opened,
    adapters: registry,
    hosts,
    clock: systemClock,
    self,
    ...peers,
    worktrees: {
      make: async (...given) => (await openWorktrees()).make(...given),
      list: async (...given) => (await openWorktrees()).list(...given),
      prune: async (...given) => (await openWorktrees()).prune(...given),
      adopt: async (...given) => (await openWorktrees()).adopt(...given),
    },
    checkouts: {
      clone: async (...given) => (await openCheckouts()).clone(...given),
      unpack: async (...given) => (await openCheckouts()).unpack(...given),
      makeEmpty: async (...given) => (await openCheckouts()).makeEmpty(...given),
      list: async () => (await openCheckouts()).list(),
      remove: async (...given) => (await openCheckouts()).remove(...given),
    },
    ...(membership && {
      savedSessions: membership.savedSessions,
      isConnected: membership.isConnected,
    }),
    directories: (id: SessionId, session?: SessionInfo) =>
      session?.host === "container"
        ? containerDirectories(home, session)
        : { run: join(home, "run", id), state: join(home, "sessions", id) },
    owns: (runDir, host) =>
      host === "container" ? isContainerRun(home, runDir) : dirname(runDir) === join(home, "run"),
    resolve: async (request, { isNew, session }) => {
      const { from } = request.model ?? {};
      const resolved = await resolveSession(await configFor(request), request, {
        env: withCredentials(env, request.credentials),
        isNew,
        session,
        isEndpointTrusted:
          from === undefined || request.trust === true || (await trusts({ cwd: from })),
        usesVariables: options.config !== undefined,
        hosts: new Set(hosts.keys()),
        lastResort: defaultRuntime,
        takesEndpoints: async ({ runtime }) =>
          usesModelVariables(await registry.load(await knownRuntime(registry, runtime))),
      });
      const { decision, warnings } = resolved;
      for (const warning of warnings) warnOnce(warning);
      return { ...resolved, request: inGasTown(resolved.request, decision.runtime) };
    },
    trusts,
    workspaces: createWorkspaces({ home, env, now, isTemporary: store === "memory" }),
    filtersIn: (cwd) => repositoryFilters(cwd, env),
    settingsIn: (cwd, settings) => findSettings(cwd, [{ runtime: "", settings }], env),
    wakeSlots: new WakeSlots(systemClock),
    prices: async (session) => pricesIn(await configFor(session)),
    budgets: async (session) => effectiveSettings(await configFor(session)).budget ?? {},
    ...(options.config && {
      gate: createProjectGate({
        sessions: async (filter) => (await opened.list(filter)).map(({ info }) => info),
        limitsOf,
      }),
    }),
    ...(audience && { audience }),
    traceOf: telemetry.traceOf,
    metrics: () =>
      metrics.toText({ store: opened, waitingDeliveries: () => dispatcher?.waiting ?? 0 }),
    onDispose,
    onBlocked: (id, { message }) =>
      onStoreProblem(`Session ${id} waits until its log can be written: ${message}`),
    abandoned: new Set(),
    whileMoving: (id, task) => moves.run(id, task),
    protectedDirs: [home],
    ...(store === "sqlite" && { home, logServer: (id: SessionId) => logServer(id, home) }),
    env,
    get secrets() {
      return [...secrets];
    },
  });
  if (options.upkeep) dispatcher?.resume(async (id) => (await opened.find(id))?.info);
  return halyard;
}

/** Opens the outbox of undelivered hook payloads and the session cursors, which all processes of a home share. */
function openHookFiles(home: string): { outbox: HookOutbox; cursors: HookCursors } {
  const directory = join(home, "hooks");
  const ownership = {
    owner: JSON.stringify(ownIdentity()),
    isAlive: async (owner: string) => healthOfProcess(JSON.parse(owner)) !== "dead",
  };
  return {
    outbox: new HookOutbox(directory, { ...ownership, now: systemClock.now }),
    cursors: new HookCursors(directory, ownership),
  };
}

/** The fields of a request or a session that determine its configuration. */
type ConfigScope = Pick<SessionInfo, "cwd" | "project"> & { readonly trust?: boolean | undefined };

/**
 * Returns a function that checks whether a directory is trusted: by the caller or, if `config` is given, by the user.
 */
async function trustOf(
  { trust = [], config }: HalyardOptions,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<(request: { readonly cwd: string }) => Promise<boolean>> {
  const vouched = await Promise.all(trust.map(realDirectory));
  const runtimeSettings = async () =>
    (await import("./adapters/project-settings.ts")).allProjectSettings;
  const gitSettings = async (cwd: string) =>
    (await import("./workspace/git/repository-programs.ts")).repositoryPrograms(cwd, env);
  return async ({ cwd }) => {
    const real = (await worktreeOrigin(cwd, home))?.directory ?? (await realDirectory(cwd));
    if (trustedBy(real, vouched) !== undefined) return true;
    return (
      config !== undefined &&
      (await userTrust(cwd, { home, env, runtimeSettings, gitSettings })).trusted
    );
  };
}

function registeredSecrets({ registry }: Config): string[] {
  return Object.values(registry?.value?.runtimes ?? {}).flatMap(({ env = {} }) => secretsIn(env));
}

function warn(problem: string): void {
  process.emitWarning(problem);
}

const systemClock: Clock = { now: () => new Date(), elapsedMs: () => performance.now() };

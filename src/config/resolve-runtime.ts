import type { RuntimeName } from "../schema/runtime.ts";
import {
  autoRuntimes,
  canonicalName,
  defaultRuntime,
  seedRuntimes,
} from "../schema/runtimes/built-in-runtimes.ts";
import type {
  RuntimeDecision,
  RuntimeSource,
  RuntimeStep,
} from "../schema/runtimes/runtime-decision.ts";
import type { Config, ConfigFile } from "./config.ts";
import { factoryKey } from "./server.ts";

/** The request fields that determine the runtime. */
export interface RuntimeRequest {
  /** The requested runtime. */
  readonly runtime?: RuntimeName | undefined;
  /** The session to continue, or the parent of a new session. Its runtime is used if the request names none. */
  readonly session?: { readonly id: string; readonly runtime: RuntimeName } | undefined;
  /** The id of the project, whose file is `config.project`. */
  readonly project?: string | undefined;
  /** The agent that the session runs as: an `id` from `agents.list`. */
  readonly agentId?: string | undefined;
  /** The runtime to use if no source names one. Defaults to Pi. */
  readonly lastResort?: RuntimeName | undefined;
}

/**
 * Chooses the runtime of a session. The first source that names a runtime decides. The decision lists all sources in
 * order of precedence.
 */
export function resolveRuntime(config: Config, request: RuntimeRequest = {}): RuntimeDecision {
  const sources = [...askedFor(request), ...chosenFor(config, request), ...sharedSources(config)];
  const named = sources.map((source) =>
    isUntrustedName(source)
      ? {
          ...source,
          runtime: undefined,
          meaning: "",
          absence: `it names ${source.wanted}: ${UNTRUSTED}`,
        }
      : { ...source, ...meaningOf(source.wanted, config) },
  );
  const builtIn = builtInEntry(request);
  const winner = named.find(({ runtime }) => runtime !== undefined) ?? builtIn;
  const steps = [...named, builtIn].map((answer): RuntimeStep => {
    const { source, file, key, runtime, wanted, meaning, absence } = answer;
    const decided = answer === winner;
    const overruled = `it names ${wanted}, but ${winner.source} takes precedence`;
    return {
      source,
      ...(file !== undefined && { file }),
      ...(key !== undefined && { key }),
      ...(runtime !== undefined && { runtime }),
      decided,
      reason: runtime === undefined ? absence : decided ? meaning : overruled,
    };
  });
  const { source, runtime = builtIn.runtime, wanted, isDefault = false } = winner;
  return { runtime, source, explicit: !isDefault && wanted !== AUTO, steps };
}

/** Returns a warning for each runtime that an untrusted file names but may not select. */
export function untrustedRuntimes(config: Config): string[] {
  const agents = config.settings?.value?.agents?.list ?? [];
  const sources = [{}, ...agents.map(({ id }) => ({ agentId: id }))]
    .flatMap((request) => [...chosenFor(config, request), ...sharedSources(config)])
    .filter(isUntrustedName);
  const warnings = sources.map(
    ({ file, wanted, directory }) =>
      `${file} names the runtime ${wanted}, which is ignored: ${UNTRUSTED}, and ${directory} is not trusted. If you know who wrote it, run "halyard trust ${directory}".`,
  );
  return [...new Set(warnings)];
}

const UNTRUSTED = `an untrusted directory can only choose among ${[...seedRuntimes].join(", ")}`;

function isUntrustedName({ wanted, isTrusted = true }: SourceEntry): boolean {
  return (
    wanted !== undefined &&
    !isTrusted &&
    wanted !== AUTO &&
    !seedRuntimes.has(canonicalName(wanted))
  );
}

/** A source that may name a runtime. */
interface SourceEntry {
  readonly source: RuntimeSource;
  readonly file?: string | undefined;
  readonly key?: string;
  readonly wanted: RuntimeName | undefined;
  /** False for a file in an untrusted directory. Defaults to true. */
  readonly isTrusted?: boolean | undefined;
  /** The directory that the user would have to trust. */
  readonly directory?: string | undefined;
  /** The reason why the source names no runtime. */
  readonly absence: string;
  /** True if the source is a default. A default that cannot run may be replaced by another runtime. */
  readonly isDefault?: boolean;
}

type Origin = Pick<SourceEntry, "isTrusted" | "directory">;

interface NamedRuntime extends SourceEntry {
  readonly runtime: RuntimeName | undefined;
  readonly meaning: string;
}

function builtInEntry({
  lastResort = defaultRuntime,
}: RuntimeRequest): NamedRuntime & { readonly runtime: RuntimeName } {
  return {
    source: "built-in",
    wanted: lastResort,
    runtime: lastResort,
    meaning: "no other source names a runtime",
    absence: "",
    isDefault: true,
  };
}

function askedFor({ runtime, session }: RuntimeRequest): SourceEntry[] {
  return [
    { source: "request", wanted: runtime, absence: "no runtime was requested" },
    {
      source: "session",
      wanted: session?.runtime,
      absence: "no session is resumed, and there is no parent",
    },
  ];
}

/** Returns the sources that depend on the project, the directory or the agent. */
function chosenFor(config: Config, { project, agentId }: RuntimeRequest): SourceEntry[] {
  const { directory, settings, userSettings } = config;
  const ofAgent = [settings, userSettings].map(
    (file): SourceEntry => ({
      source: "agent",
      file: file?.path,
      key: "agents.list",
      wanted: file?.value?.agents?.list?.find(({ id }) => id === agentId)?.runtime,
      ...originOf(file),
      absence:
        agentId === undefined
          ? "no agent was named"
          : absent(file, `it has no runtime for the agent ${agentId}`),
    }),
  );
  return [
    {
      source: "project",
      file: config.project?.path,
      key: "agent_runtime",
      wanted: project === undefined ? undefined : config.project?.value?.agent_runtime,
      absence: project === undefined ? "no project was named" : absent(config.project),
    },
    {
      source: "rig",
      file: directory?.path,
      key: "runtime",
      wanted: directory?.value?.runtime,
      ...originOf(directory),
      absence: absent(directory),
    },
    ...ofAgent,
    ...ofSettings("settings", settings),
  ];
}

/** Returns the sources that name a runtime for all sessions. `server` is a choice, the others are defaults. */
function sharedSources({ server, userSettings, registry }: Config): SourceEntry[] {
  return [
    {
      source: "server",
      file: server?.path,
      key: "agent_runtime",
      wanted: server?.value?.agent_runtime,
      ...originOf(server),
      absence: absent(server),
    },
    ...ofSettings("user", userSettings).map((source) => ({ ...source, isDefault: true })),
    {
      source: "registry",
      file: registry?.path,
      key: "default",
      wanted: registry?.value?.default,
      absence: absent(registry),
      isDefault: true,
    },
  ];
}

function ofSettings(
  source: "settings" | "user",
  file: Config["userSettings"] | Config["settings"],
): SourceEntry[] {
  const { agents, runtime } = file?.value ?? {};
  return [
    {
      source,
      file: file?.path,
      key: "agents.defaults.runtime",
      wanted: agents?.defaults?.runtime,
      ...originOf(file),
      absence: absent(file),
      isDefault: true,
    },
    {
      source,
      file: file?.path,
      key: "runtime",
      wanted: runtime,
      ...originOf(file),
      absence: absent(file),
    },
  ];
}

function originOf(file: (ConfigFile<unknown> & Origin) | undefined): Origin {
  return { isTrusted: file?.isTrusted, directory: file?.directory };
}

function absent(file: { value?: unknown } | undefined, otherwise = "it names no runtime"): string {
  return file?.value === undefined ? "the file does not exist" : otherwise;
}

const AUTO = "auto";

/** Resolves `auto` by whether `factory.json` has a key. Returns other names unchanged. */
function meaningOf(
  wanted: RuntimeName | undefined,
  { factory }: Config,
): Pick<NamedRuntime, "runtime" | "meaning"> {
  if (wanted !== AUTO) return { runtime: wanted, meaning: `it names ${wanted}` };
  const file = factory?.path ?? "config/factory.json";
  if (factoryKey(factory?.value) !== undefined)
    return {
      runtime: autoRuntimes.withKey,
      meaning: `the value is auto, and ${file} contains a key`,
    };
  return {
    runtime: autoRuntimes.withoutKey,
    meaning: `the value is auto, and ${file} contains no key`,
  };
}

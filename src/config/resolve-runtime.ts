import { canonicalName, seedRuntimes } from "../schema/built-in-runtimes.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { RuntimeDecision, RuntimeSource, RuntimeStep } from "../schema/runtime-decision.ts";
import type { Config, ConfigFile } from "./config.ts";
import { factoryKey } from "./server.ts";

/** What is known of a session before it has a runtime. */
export interface RuntimeRequest {
  /** The runtime that was asked for. */
  readonly runtime?: RuntimeName | undefined;
  /** The session that is continued, or the parent of a new one: its runtime stays. */
  readonly session?: { readonly id: string; readonly runtime: RuntimeName } | undefined;
  /** The project it belongs to, whose file is in `config.project`. */
  readonly project?: string | undefined;
  /** The agent it runs as: an `id` of `agents.list`. */
  readonly agentId?: string | undefined;
}

/** The runtime of last resort. */
export const BUILT_IN: RuntimeName = "pi";

/**
 * Decides which runtime a session gets. Pure: the same configuration and request give the same answer, and the steps
 * tell everybody who was asked, in order, of whom the first that names a runtime decides.
 */
export function resolveRuntime(config: Config, request: RuntimeRequest = {}): RuntimeDecision {
  const places = [...askedFor(request), ...chosenFor(config, request), ...defaultsOf(config)];
  const answers = places.map((place) =>
    isUntrustedName(place)
      ? {
          ...place,
          runtime: undefined,
          meaning: "",
          absence: `it names ${place.said}: ${UNTRUSTED}`,
        }
      : { ...place, ...meaningOf(place.said, config) },
  );
  const winner = answers.find(({ runtime }) => runtime !== undefined) ?? builtIn;
  const steps = [...answers, builtIn].map((answer): RuntimeStep => {
    const { source, file, key, runtime, said, meaning, absence } = answer;
    const decided = answer === winner;
    const overruled = `it says ${said}, but ${winner.source} goes before it`;
    return {
      source,
      ...(file !== undefined && { file }),
      ...(key !== undefined && { key }),
      ...(runtime !== undefined && { runtime }),
      decided,
      reason: runtime === undefined ? absence : decided ? meaning : overruled,
    };
  });
  const { source, runtime = BUILT_IN, said, isDefault = false } = winner;
  return { runtime, source, explicit: !isDefault && said !== AUTO, steps };
}

/** Returns a warning for each runtime that an untrusted file names and cannot choose. */
export function untrustedRuntimes(config: Config): string[] {
  const agents = config.settings?.value?.agents?.list ?? [];
  const places = [{}, ...agents.map(({ id }) => ({ agentId: id }))]
    .flatMap((request) => [...chosenFor(config, request), ...defaultsOf(config)])
    .filter(isUntrustedName);
  const warnings = places.map(
    ({ file, said, directory }) =>
      `${file} names the runtime ${said}, which is ignored: ${UNTRUSTED}, and ${directory} is not trusted. If you know who wrote it, run: halyard trust ${directory}`,
  );
  return [...new Set(warnings)];
}

const UNTRUSTED = `an untrusted directory can only choose among ${[...seedRuntimes].join(", ")}`;

function isUntrustedName({ said, isTrusted = true }: Place): boolean {
  return (
    said !== undefined && !isTrusted && said !== AUTO && !seedRuntimes.has(canonicalName(said))
  );
}

/** Somebody who may name a runtime. */
interface Place {
  readonly source: RuntimeSource;
  readonly file?: string | undefined;
  readonly key?: string;
  readonly said: RuntimeName | undefined;
  /** False for a file of an untrusted directory. Defaults to true. */
  readonly isTrusted?: boolean | undefined;
  /** The directory to trust. */
  readonly directory?: string | undefined;
  /** Why it says nothing, if it does. */
  readonly absence: string;
  /** It speaks for whoever did not choose: another runtime may take the place of one that cannot run. */
  readonly isDefault?: boolean;
}

type Origin = Pick<Place, "isTrusted" | "directory">;

interface Answer extends Place {
  readonly runtime: RuntimeName | undefined;
  readonly meaning: string;
}

const builtIn: Answer = {
  source: "built-in",
  said: BUILT_IN,
  runtime: BUILT_IN,
  meaning: "nobody else named a runtime",
  absence: "",
  isDefault: true,
};

function askedFor({ runtime, session }: RuntimeRequest): Place[] {
  return [
    { source: "request", said: runtime, absence: "no runtime was asked for" },
    {
      source: "session",
      said: session?.runtime,
      absence: "no session is continued, and none is the parent",
    },
  ];
}

/** Who chose a runtime for a project, a rig or an agent. */
function chosenFor(config: Config, { project, agentId }: RuntimeRequest): Place[] {
  const { rig, settings, userSettings } = config;
  const ofAgent = [settings, userSettings].map(
    (file): Place => ({
      source: "agent",
      file: file?.path,
      key: "agents.list",
      said: file?.value?.agents?.list?.find(({ id }) => id === agentId)?.runtime,
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
      said: project === undefined ? undefined : config.project?.value?.agent_runtime,
      absence: project === undefined ? "no project was named" : absent(config.project),
    },
    {
      source: "rig",
      file: rig?.path,
      key: "runtime",
      said: rig?.value?.runtime,
      ...originOf(rig),
      absence: absent(rig),
    },
    ...ofAgent,
    ...ofSettings("settings", settings),
  ];
}

function defaultsOf({ server, userSettings, registry }: Config): Place[] {
  return [
    {
      source: "server",
      file: server?.path,
      key: "agent_runtime",
      said: server?.value?.agent_runtime,
      ...originOf(server),
      absence: absent(server),
    },
    ...ofSettings("user", userSettings).map((place) => ({ ...place, isDefault: true })),
    {
      source: "registry",
      file: registry?.path,
      key: "default",
      said: registry?.value?.default,
      absence: absent(registry),
      isDefault: true,
    },
  ];
}

function ofSettings(
  source: "settings" | "user",
  file: Config["userSettings"] | Config["settings"],
): Place[] {
  const { agents, runtime } = file?.value ?? {};
  return [
    {
      source,
      file: file?.path,
      key: "agents.defaults.runtime",
      said: agents?.defaults?.runtime,
      ...originOf(file),
      absence: absent(file),
      isDefault: true,
    },
    {
      source,
      file: file?.path,
      key: "runtime",
      said: runtime,
      ...originOf(file),
      absence: absent(file),
    },
  ];
}

function originOf(file: (ConfigFile<unknown> & Origin) | undefined): Origin {
  return { isTrusted: file?.isTrusted, directory: file?.directory };
}

function absent(file: { value?: unknown } | undefined, otherwise = "it names no runtime"): string {
  return file?.value === undefined ? "there is no such file" : otherwise;
}

const AUTO = "auto";

/** What a name means: itself, but for `auto`, which is droid where there is a key for it and opencode otherwise. */
function meaningOf(
  said: RuntimeName | undefined,
  { factory }: Config,
): Pick<Answer, "runtime" | "meaning"> {
  if (said !== AUTO) return { runtime: said, meaning: `it says ${said}` };
  const file = factory?.path ?? "config/factory.json";
  if (factoryKey(factory?.value) !== undefined)
    return { runtime: "droid", meaning: `it says auto, and ${file} holds a key` };
  return { runtime: "opencode", meaning: `it says auto, and there is no key in ${file}` };
}

import type { Adapter, AdapterSource } from "../contracts/adapter.ts";
import type { Host } from "../contracts/host.ts";
import type { InspectOptions } from "../contracts/inspection.ts";
import type { AskedRequest } from "../contracts/session-request.ts";
import { didYouMean } from "../errors/did-you-mean.ts";
import { HalyardError, reasonOf, toErrorInfo } from "../errors/error.ts";
import { whyUnavailable } from "../halyard/availability.ts";
import type { Environment } from "../programs/environment.ts";
import { programVersion } from "../programs/program-version.ts";
import type { HostName } from "../schema/host.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type {
  Availability,
  Greeting,
  RuntimeInfo,
  RuntimeReport,
} from "../schema/runtimes/runtime-info.ts";
import type { SchemaChanges } from "../schema/runtimes/schema-changes.ts";
import { adapterOn } from "../session/adapter-on.ts";

/** Lists all runtimes with their availability. */
export async function listRuntimes(source: AdapterSource): Promise<RuntimeInfo[]> {
  const added = await source.added?.();
  return Promise.all(
    (await source.names()).map(async (name) => {
      const adapter = await source.load(name);
      const availability = await adapter.probe();
      return {
        name,
        ...described(adapter),
        ...(added?.has(name) && { added: true }),
        availability,
      };
    }),
  );
}

/** Inspects one runtime: its program, version, sign-in, greeting and advice, and its schema if `schema` is true. */
export async function inspectRuntime(
  source: AdapterSource,
  asked: RuntimeName,
  { host, env }: { readonly host?: Host | undefined; readonly env: Environment },
  { schema: isCompared = false }: InspectOptions = {},
): Promise<RuntimeReport> {
  const adapter = await source.load(await knownRuntime(source, asked));
  const { name, testedWith } = adapter;
  const availability = await runnable(adapter, await adapter.probe(), env);
  const isSignedIn = availability.available ? await adapter.isSignedIn?.() : undefined;
  const signedIn = isSignedIn === undefined ? "unknown" : isSignedIn ? "yes" : "no";
  const { greeting, problem } = availability.available ? await greet(adapter, host) : {};
  const schema =
    isCompared && availability.available
      ? await adapter.compareSchema?.().catch(() => undefined) // an old version of the program may not print a schema
      : undefined;
  return {
    name,
    ...described(adapter),
    availability,
    signedIn,
    usable: availability.available && signedIn !== "no" && problem === undefined,
    advice: [
      ...adviceOn(adapter, availability, signedIn),
      ...schemaAdvice(schema),
      ...(problem ? [problem] : []),
    ],
    ...(schema && { schema }),
    ...(greeting && { greeting }),
    ...(testedWith !== undefined && { testedWith }),
  };
}

/** Checks that an installable program starts: runs it to print its version, as `halyard runtime install` does. */
async function runnable(
  { name, programsFor }: Adapter,
  availability: Availability,
  env: Environment,
): Promise<Availability> {
  if (!availability.available || !availability.program || !programsFor) return availability;
  try {
    const version = await programVersion(availability.program, {
      env,
      node: availability.node,
    });
    return { version, ...availability };
  } catch (error) {
    const hint = `run "halyard runtime install ${name}"`;
    return { available: false, reason: reasonOf(error), hint };
  }
}

async function greet(
  adapter: Adapter,
  host: Host | undefined,
): Promise<{ greeting?: Greeting; problem?: string }> {
  if (host === undefined || adapter.greet === undefined) return {};
  try {
    return { greeting: await adapter.greet(host) };
  } catch (error) {
    return { problem: toErrorInfo(error).message };
  }
}

function described(adapter: Adapter) {
  const { displayName, capabilities, bootstrap, protocol, onScreen } = adapter;
  const { inputs = [] } = onScreen ?? {};
  return {
    displayName,
    capabilities: [...capabilities],
    ...(adapter.inputs && { inputs: [...adapter.inputs] }),
    ...(adapter.inputAliases && { inputAliases: adapter.inputAliases }),
    ...(adapter.readiness && { readiness: adapter.readiness }),
    ...(onScreen && {
      onScreen: {
        inputs: [...inputs],
        ...(onScreen.inputAliases && { inputAliases: onScreen.inputAliases }),
        ...(onScreen.readiness && { readiness: onScreen.readiness }),
      },
    }),
    ...(bootstrap !== undefined && { bootstrap }),
    ...(protocol !== undefined && { protocol }),
  };
}

function adviceOn(
  { displayName, testedWith, signIn = `sign in with ${displayName} itself` }: Adapter,
  availability: Availability,
  signedIn: RuntimeReport["signedIn"],
): string[] {
  if (!availability.available) return [availability.hint];
  const advice: string[] = [];
  if (signedIn === "no") {
    advice.push(`${signIn}; or set a model endpoint (--model, --base-url)`);
  }
  const { version } = availability;
  if (version !== undefined && testedWith !== undefined && version !== testedWith) {
    advice.push(
      `tested with ${testedWith}; messages that ${version} adds appear as system/raw events`,
    );
  }
  return advice;
}

/** Describes how the program's own schema differs from the tested schema. */
function schemaAdvice(schema: SchemaChanges | undefined): string[] {
  const list = (names: readonly string[]) =>
    `${names.slice(0, SHOWN).join(", ")}${names.length > SHOWN ? `, and ${names.length - SHOWN} more` : ""}`;
  const { added = [], removed = [] } = schema ?? {};
  return [
    ...(added.length > 0
      ? [`its schema has names that the tested schema lacks: ${list(added)}`]
      : []),
    ...(removed.length > 0
      ? [`its schema lacks names that the tested schema has: ${list(removed)}`]
      : []),
  ];
}

const SHOWN = 8;

/**
 * Returns the adapter of a runtime. Rejects with advice if the runtime is unknown, is not available, or cannot run on
 * the host.
 */
export async function usableAdapter(
  source: AdapterSource,
  name: RuntimeName,
  { host, credentials }: Pick<AskedRequest, "host" | "credentials"> = {},
): Promise<Adapter> {
  const adapter = await source.load(await knownRuntime(source, name), host, credentials);
  const problem = whyUnavailable(name, await adapter.probe());
  if (problem) throw problem;
  return requireAdapterOn(host, adapter);
}

/** Returns the adapter for a host. Throws `unsupported` if the runtime cannot run on the host. */
export function requireAdapterOn(host: HostName | undefined, adapter: Adapter): Adapter {
  const found = adapterOn(host, adapter);
  if (found) return found;
  throw new HalyardError(
    "unsupported",
    `${adapter.name} cannot run on the host ${host}. Start a session with another host or runtime.`,
  );
}

/** Resolves a name or alias to the name of a runtime. Rejects with `unknown_runtime` if there is none. */
export async function knownRuntime(source: AdapterSource, name: string): Promise<RuntimeName> {
  const known = await source.resolve(name);
  if (known !== undefined) return known;
  const advice =
    didYouMean(name, await source.names()) ||
    ` Known: ${describeKnown(await listRuntimes(source))}.`;
  throw new HalyardError("unknown_runtime", `Unknown runtime "${name}".${advice}`);
}

/** Lists the known runtimes. Groups ACP agents that are not installed, because there are many. */
function describeKnown(runtimes: readonly RuntimeInfo[]): string {
  const isAway = ({ protocol, availability }: RuntimeInfo) =>
    protocol !== undefined && !availability.available;
  const away = runtimes.filter(isAway).map(({ name }) => name);
  const near = runtimes.filter((runtime) => !isAway(runtime)).map(describe);
  return [...near, ...(away.length > 0 ? [`once installed: ${away.join(", ")}`] : [])].join("; ");
}

function describe({ name, availability }: RuntimeInfo): string {
  return availability.available ? name : `${name} (unavailable: ${availability.reason})`;
}

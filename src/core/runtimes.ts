import type { Availability, RuntimeInfo, RuntimeName, RuntimeReport } from "../schema/runtime.ts";
import type { Adapter } from "./adapter.ts";
import { HalyardError } from "./error.ts";

/** The runtimes there are. An adapter is loaded when it is asked for. */
export interface AdapterSource {
  readonly names: readonly RuntimeName[];
  load(name: RuntimeName): Promise<Adapter>;
}

/** Every runtime, with whether it can be used here. */
export function listRuntimes(source: AdapterSource): Promise<RuntimeInfo[]> {
  return Promise.all(
    source.names.map(async (name) => {
      const adapter = await source.load(name);
      const { displayName, capabilities } = adapter;
      const availability = await adapter.probe();
      return { name, displayName, capabilities: [...capabilities], availability };
    }),
  );
}

/** One runtime, looked at closely. */
export async function examineRuntime(
  source: AdapterSource,
  name: RuntimeName,
): Promise<RuntimeReport> {
  const adapter = await knownAdapter(source, name);
  const { displayName, capabilities, testedWith } = adapter;
  const availability = await adapter.probe();
  const isSignedIn = availability.available ? await adapter.isSignedIn?.() : undefined;
  const signedIn = isSignedIn === undefined ? "unknown" : isSignedIn ? "yes" : "no";
  return {
    name,
    displayName,
    capabilities: [...capabilities],
    availability,
    signedIn,
    usable: availability.available && signedIn !== "no",
    advice: adviceOn(adapter, availability, signedIn),
    ...(testedWith !== undefined && { testedWith }),
  };
}

function adviceOn(
  { displayName, testedWith }: Adapter,
  availability: Availability,
  signedIn: RuntimeReport["signedIn"],
): string[] {
  if (!availability.available) return [availability.hint];
  const advice: string[] = [];
  if (signedIn === "no") {
    advice.push(
      `sign in with ${displayName} itself, or give it a model endpoint (--model, --base-url)`,
    );
  }
  const { version } = availability;
  if (version !== undefined && testedWith !== undefined && version !== testedWith) {
    advice.push(
      `tested with ${testedWith}; what ${version} says beyond that shows up as system/raw`,
    );
  }
  return advice;
}

/** A runtime that is known and can be used here; the error says what to do otherwise. */
export async function usableAdapter(source: AdapterSource, name: RuntimeName): Promise<Adapter> {
  const adapter = await knownAdapter(source, name);
  const availability = await adapter.probe();
  if (availability.available) return adapter;
  const { reason, hint } = availability;
  throw new HalyardError("runtime_unavailable", `${name} cannot run here: ${reason}. ${hint}`);
}

async function knownAdapter(source: AdapterSource, name: RuntimeName): Promise<Adapter> {
  if (source.names.includes(name)) return source.load(name);
  const known = (await listRuntimes(source)).map(describe).join("; ");
  throw new HalyardError("unknown_runtime", `there is no runtime "${name}". Known: ${known}`);
}

function describe({ name, availability }: RuntimeInfo): string {
  return availability.available ? name : `${name} (unavailable: ${availability.reason})`;
}

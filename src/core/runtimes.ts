import type { RuntimeInfo, RuntimeName } from "../schema/runtime.ts";
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

/** A runtime that is known and can be used here; the error says what to do otherwise. */
export async function usableAdapter(source: AdapterSource, name: RuntimeName): Promise<Adapter> {
  if (!source.names.includes(name)) {
    const known = (await listRuntimes(source)).map(describe).join("; ");
    throw new HalyardError("unknown_runtime", `there is no runtime "${name}". Known: ${known}`);
  }
  const adapter = await source.load(name);
  const availability = await adapter.probe();
  if (availability.available) return adapter;
  const { reason, hint } = availability;
  throw new HalyardError("runtime_unavailable", `${name} cannot run here: ${reason}. ${hint}`);
}

function describe({ name, availability }: RuntimeInfo): string {
  return availability.available ? name : `${name} (unavailable: ${availability.reason})`;
}

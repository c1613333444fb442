import type { HostName, RuntimeName } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Adapter } from "./adapter.ts";
import { HalyardError } from "./error.ts";
import type { Machine } from "./machine.ts";
import { knownRuntime, usableAdapter } from "./runtimes.ts";
import type { AskedRequest } from "./session-request.ts";

/** What a new session runs on, and where. */
export interface AdapterChoice {
  readonly adapter: Adapter;
  readonly host: HostName;
  /** What was meant by default and could not run here. */
  readonly fallback?: NonNullable<SessionInfo["fallback"]>;
}

/**
 * Returns the adapter for a new session: its parent's, the requested one, or the configured default with its fallback
 * if the default cannot run here.
 */
export async function chooseAdapter(
  machine: Machine,
  request: AskedRequest,
  parent: SessionInfo | undefined,
): Promise<AdapterChoice> {
  if (parent) {
    const { runtime = parent.runtime } = request;
    requireSameRuntime(parent, await knownRuntime(machine.adapters, runtime));
    return adapterFor(machine, request, parent.runtime);
  }
  if (request.runtime !== undefined) return adapterFor(machine, request, request.runtime);
  const { runtime, fallback } = await machine.choose(request);
  try {
    return await adapterFor(machine, request, runtime);
  } catch (error) {
    if (fallback === undefined || fallback === runtime || !isUnavailable(error)) throw error;
    const { message: reason } = error;
    return {
      ...(await adapterFor(machine, request, fallback)),
      fallback: { from: runtime, reason },
    };
  }
}

/** Sessions are bound to their runtime, with their children: what the parent knows of the child stays comparable. */
function requireSameRuntime({ id, runtime }: SessionInfo, asked: RuntimeName): void {
  if (asked === runtime) return;
  throw new HalyardError(
    "unsupported",
    `Session ${id} runs on ${runtime}, and so do its children: hybrid execution (different runtimes at different ` +
      `depths) is not supported. Leave the runtime out or name ${runtime}.`,
  );
}

async function adapterFor(
  { adapters, place }: Machine,
  request: AskedRequest,
  name: RuntimeName,
): Promise<AdapterChoice> {
  const runtime = await knownRuntime(adapters, name);
  const host = (await place?.(request, runtime)) ?? request.host ?? "local";
  return { adapter: await usableAdapter(adapters, runtime, { ...request, host }), host };
}

function isUnavailable(error: unknown): error is HalyardError {
  return error instanceof HalyardError && error.code === "runtime_unavailable";
}

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
 * The adapter for a new session: the one asked for or its parent's, and no other; otherwise the chosen default, or
 * what that may fall back to where it cannot run here.
 */
export async function chooseAdapter(
  machine: Machine,
  request: AskedRequest,
  parent: SessionInfo | undefined,
): Promise<AdapterChoice> {
  const named = request.runtime ?? parent?.runtime;
  if (named !== undefined) return adapterFor(machine, request, named);
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

async function adapterFor(
  { adapters, place }: Machine,
  request: AskedRequest,
  name: RuntimeName,
): Promise<AdapterChoice> {
  const runtime = await knownRuntime(adapters, name);
  const host = (await place?.(request, runtime)) ?? request.host ?? "local";
  return { adapter: await usableAdapter(adapters, runtime, host), host };
}

function isUnavailable(error: unknown): error is HalyardError {
  return error instanceof HalyardError && error.code === "runtime_unavailable";
}

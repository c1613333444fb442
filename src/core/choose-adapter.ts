import type { SessionInfo } from "../schema/session.ts";
import type { Adapter } from "./adapter.ts";
import { HalyardError } from "./error.ts";
import type { Machine } from "./machine.ts";
import { usableAdapter } from "./runtimes.ts";
import type { SessionRequest } from "./session-request.ts";

/**
 * The adapter for a new session: the one asked for or its parent's, and no other; otherwise the chosen default, or
 * what that may fall back to where it cannot run here.
 */
export async function chooseAdapter(
  { adapters, choose }: Machine,
  request: SessionRequest,
  parent: SessionInfo | undefined,
): Promise<{ adapter: Adapter; fallback?: NonNullable<SessionInfo["fallback"]> }> {
  const named = request.runtime ?? parent?.runtime;
  if (named !== undefined) return { adapter: await usableAdapter(adapters, named, request.host) };
  const { runtime, fallback } = await choose(request);
  try {
    return { adapter: await usableAdapter(adapters, runtime, request.host) };
  } catch (error) {
    if (fallback === undefined || fallback === runtime || !isUnavailable(error)) throw error;
    const { message: reason } = error;
    return {
      adapter: await usableAdapter(adapters, fallback, request.host),
      fallback: { from: runtime, reason },
    };
  }
}

function isUnavailable(error: unknown): error is HalyardError {
  return error instanceof HalyardError && error.code === "runtime_unavailable";
}

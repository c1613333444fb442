import type { Adapter } from "../contracts/adapter.ts";
import type { Machine } from "../contracts/machine.ts";
import type { AskedRequest } from "../contracts/session-request.ts";
import { HalyardError } from "../errors/error.ts";
import type { HostName, RuntimeName } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import { checkToolNames } from "../session/tool-names.ts";
import { knownRuntime, usableAdapter } from "./runtimes.ts";

/** The adapter and the host of a new session. */
export interface AdapterChoice {
  readonly adapter: Adapter;
  readonly host: HostName;
  /** The configured default runtime that was not available, and the reason. */
  readonly fallback?: NonNullable<SessionInfo["fallback"]>;
  /** Warnings about ignored settings of configuration files, and about tools that the runtime may not have. */
  readonly warnings: readonly string[];
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
  const { runtime, fallback, warnings = [] } = await machine.choose(request);
  try {
    return withWarnings(await adapterFor(machine, request, runtime), warnings);
  } catch (error) {
    if (fallback === undefined || fallback === runtime || !isUnavailable(error)) throw error;
    const { message: reason } = error;
    const choice = withWarnings(await adapterFor(machine, request, fallback), warnings);
    return { ...choice, fallback: { from: runtime, reason } };
  }
}

/** Rejects a runtime that differs from the runtime of the parent session. */
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
  const adapter = await usableAdapter(adapters, runtime, { ...request, host });
  return { adapter, host, warnings: checkToolNames(adapter, request.tools) };
}

function withWarnings(choice: AdapterChoice, more: readonly string[]): AdapterChoice {
  return { ...choice, warnings: [...more, ...choice.warnings] };
}

function isUnavailable(error: unknown): error is HalyardError {
  return error instanceof HalyardError && error.code === "runtime_unavailable";
}

import type { ResolvedSession } from "../contracts/session-request.ts";
import type { Budget } from "../schema/budget.ts";
import type { HostName } from "../schema/host.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import { defaultRuntime } from "../schema/runtimes/built-in-runtimes.ts";
import type { RuntimeDecision } from "../schema/runtimes/runtime-decision.ts";
import type { OnLimit } from "../schema/usage-limit.ts";
import type { WorktreeRequest } from "../schema/workspace/worktree.ts";
import { AGENT_LABEL } from "./agents.ts";
import { type Completion, type Configurable, completeRequest } from "./complete-request.ts";
import type { Config } from "./config.ts";
import { effectiveSettings } from "./effective-settings.ts";
import { chooseHost, type HostRequest, hostSource } from "./host-choice.ts";
import { modelSource } from "./models/default-model.ts";
import { type RuntimeRequest, resolveRuntime, untrustedRuntimes } from "./resolve-runtime.ts";

/** The request fields that the configuration can set. */
export interface Resolvable extends Configurable, HostRequest {
  readonly runtime?: RuntimeName | undefined;
  readonly permissions?: PermissionPolicy | undefined;
  readonly onLimit?: OnLimit | undefined;
  readonly budget?: Budget | undefined;
  readonly worktree?: boolean | WorktreeRequest | undefined;
  readonly handedOffFrom?: string | undefined;
  readonly forkedFrom?: string | undefined;
  readonly continuedFrom?: string | undefined;
}

/** Options of `resolveSession`. */
export interface ResolveOptions extends Omit<Completion, "runtime" | "takesEndpoints"> {
  /** The hosts that this machine supports. */
  readonly hosts: ReadonlySet<HostName>;
  /** The resumed session, or the parent of a new one. Its runtime is used if the request names none. */
  readonly session?: RuntimeRequest["session"];
  /** The runtime to use if no source names one. Defaults to Pi. */
  readonly lastResort?: RuntimeRequest["lastResort"];
  /**
   * Resolves to true if endpoint variables such as `HALYARD_BASE_URL` apply to the runtime. Rejects if the runtime is
   * unknown.
   */
  takesEndpoints(decision: RuntimeDecision): Promise<boolean>;
}

/**
 * Resolves all settings that a request does not set: runtime, host, permissions, model, keys, runtime options,
 * `onLimit`, budget and worktree. The command line, the server and the library use this function.
 */
export async function resolveSession<R extends Resolvable>(
  config: Config,
  request: R,
  options: ResolveOptions,
): Promise<ResolvedSession<R & { host: HostName; permissions: PermissionPolicy }>> {
  const { hosts, session, lastResort, takesEndpoints, ...completion } = options;
  const { decision, fallback } = decideWithFallback(config, { ...request, session, lastResort });
  const { runtime } = decision;
  const canUseEndpoints = await takesEndpoints(decision);
  const host = chooseHost(config, request, { runtime, hosts });
  const policy = decidePermissions(config, request, host);
  const settings = effectiveSettings(config);
  const onLimit = request.onLimit ?? settings.onLimit;
  const budget = request.budget ?? (options.isNew ? settings.budget?.session : undefined);
  const worktree = options.isNew ? decideWorktree(config, request) : request.worktree;
  const completed = completeRequest(config, request, {
    ...completion,
    runtime,
    takesEndpoints: canUseEndpoints,
  });
  return {
    decision,
    ...(fallback !== undefined && { fallback }),
    request: {
      ...completed,
      host,
      permissions: policy.permissions,
      ...(onLimit !== undefined && { onLimit }),
      ...(budget && { budget }),
      ...(worktree !== undefined && { worktree }),
    },
    sources: {
      host: request.host ? "request" : (hostSource(config, request, runtime).by ?? "default"),
      permissions: policy.by,
      model: modelSource(config, request, { ...completion, runtime }),
    },
    warnings: (request.runtime ?? session) === undefined ? untrustedRuntimes(config) : [],
  };
}

/**
 * Decides the runtime. If the runtime is not explicit, also returns a fallback in case it cannot run on this machine.
 * Returns no fallback for Pi, which is the fallback itself, or for the runtime that applies if no source names one.
 */
function decideWithFallback(
  config: Config,
  {
    runtime,
    session,
    project,
    labels,
    lastResort,
  }: Resolvable & Pick<RuntimeRequest, "session" | "lastResort">,
): { readonly decision: RuntimeDecision; readonly fallback?: RuntimeName } {
  const decision = resolveRuntime(config, {
    runtime,
    session,
    project,
    agentId: labels[AGENT_LABEL],
    lastResort,
  });
  const { explicit, source } = decision;
  const isFinal = explicit || source === "built-in" || decision.runtime === defaultRuntime;
  return isFinal ? { decision } : { decision, fallback: defaultRuntime };
}

/** Decides the policy by the request, otherwise by the files, otherwise by the host's default. */
function decidePermissions(
  config: Config,
  { permissions: requested }: Pick<Resolvable, "permissions">,
  host: HostName,
): { readonly permissions: PermissionPolicy; readonly by: string } {
  if (requested !== undefined) return { permissions: requested, by: "request" };
  const { settings, userSettings } = config;
  const { permissions } = effectiveSettings(config);
  if (permissions === undefined)
    return {
      permissions: defaultPolicies[host],
      by: host === "container" ? "default in a container" : "default",
    };
  const file = [settings, userSettings].find((one) => one?.value?.permissions === permissions);
  return { permissions, by: file?.path ?? "default" };
}

/**
 * Decides by the request, otherwise by the project, whether a session works in a worktree. A session that continues
 * another session's work stays in that session's directory unless the request sets a worktree.
 */
function decideWorktree(
  { project }: Config,
  {
    worktree,
    handedOffFrom,
    forkedFrom,
    continuedFrom,
  }: Pick<Resolvable, "worktree" | "handedOffFrom" | "forkedFrom" | "continuedFrom">,
): Resolvable["worktree"] {
  const continues = (handedOffFrom ?? forkedFrom ?? continuedFrom) !== undefined;
  return worktree ?? (continues ? undefined : project?.value?.worktree);
}

/** A container already isolates the agent, so the default policy in a container allows everything. */
const defaultPolicies = {
  local: "ask",
  tmux: "ask",
  container: "allow-all",
} as const satisfies Record<HostName, PermissionPolicy>;

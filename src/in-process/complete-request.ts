import type { Adapter } from "../contracts/adapter.ts";
import type { Machine } from "../contracts/machine.ts";
import type { AskedRequest, SessionRequest } from "../contracts/session-request.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { HostName } from "../schema/runtime.ts";

/** The adapter and host of a request, and whether the session is new. */
interface CompletionTarget {
  readonly adapter: Pick<Adapter, "name" | "capabilities">;
  readonly host: HostName;
  /** False if the session is resumed. */
  readonly isNew: boolean;
}

/** Adds the default policy of the host and the configured settings to a request. */
export async function completeRequest(
  { complete }: Machine,
  asked: AskedRequest,
  { adapter, host, isNew }: CompletionTarget,
): Promise<SessionRequest> {
  const permissions = asked.permissions ?? defaultPolicies[host];
  const request = { ...asked, host, permissions };
  const takesEndpoints = adapter.capabilities.includes("endpoints");
  return (await complete?.(request, adapter.name, { isNew, takesEndpoints })) ?? request;
}

/** A container already isolates the agent, so its default policy asks for nothing. */
const defaultPolicies = {
  local: "ask",
  tmux: "ask",
  container: "allow-all",
} as const satisfies Record<HostName, PermissionPolicy>;

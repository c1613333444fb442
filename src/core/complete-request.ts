import type { PermissionPolicy } from "../schema/permission.ts";
import type { HostName } from "../schema/runtime.ts";
import type { Adapter } from "./adapter.ts";
import type { Machine } from "./machine.ts";
import type { AskedRequest, SessionRequest } from "./session-request.ts";

/** What is known of a session once its runtime is chosen. */
interface Place {
  readonly adapter: Pick<Adapter, "name" | "capabilities">;
  readonly host: HostName;
  /** False for a session that goes on. */
  readonly isNew: boolean;
}

/** The request with what follows from where it runs, and with what the configuration adds to it. */
export async function completeRequest(
  { complete }: Machine,
  asked: AskedRequest,
  { adapter, host, isNew }: Place,
): Promise<SessionRequest> {
  const permissions = asked.permissions ?? defaultPolicies[host];
  const request = { ...asked, host, permissions };
  const takesEndpoints = adapter.capabilities.includes("endpoints");
  return (await complete?.(request, adapter.name, { isNew, takesEndpoints })) ?? request;
}

/** A container is the fence itself. */
const defaultPolicies = {
  local: "ask",
  tmux: "ask",
  container: "allow-all",
} as const satisfies Record<HostName, PermissionPolicy>;

import type { ConnectRequest } from "../core/adapter.ts";
import { Limits } from "../schema/start-request.ts";

/** What an adapter is asked for by a session that wants nothing special. Its directories are names, unless given. */
export function sampleRequest(
  given: Pick<ConnectRequest, "host"> & Partial<ConnectRequest>,
): ConnectRequest {
  return {
    cwd: "/workspace",
    runDir: "/run",
    stateDir: "/state",
    permissions: "ask",
    plan: false,
    env: {},
    options: {},
    limits: Limits.parse({ stopMs: 2000 }),
    ...given,
  };
}

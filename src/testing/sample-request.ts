import type { ConnectRequest } from "../contracts/adapter.ts";
import { Limits } from "../schema/session/start-request.ts";

/** Returns a connect request with default values. The default directories do not exist. */
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

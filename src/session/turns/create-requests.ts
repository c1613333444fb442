import { Requests, type RequestsOptions } from "../../permissions/requests.ts";
import type { SessionParts } from "../session-parts.ts";

/** Creates the `Requests` of a session. The session's current policy and rules decide each request. */
export function createRequests(
  { log, protectedDirs, attended, limits, clock }: SessionParts,
  settle: RequestsOptions["settle"],
): Requests {
  return new Requests({
    policy: () => log.info.permissions,
    rules: () => log.info.rules ?? [],
    scope: { cwd: log.info.cwd, protectedDirs },
    attended,
    limitMs: limits.requestMs,
    clock,
    settle,
  });
}

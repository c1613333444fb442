import type { z } from "zod";
import type { HostName } from "../schema/host.ts";
import type { ModelEndpoint } from "../schema/model.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { RuntimeDecision } from "../schema/runtimes/runtime-decision.ts";
import type { StartRequest } from "../schema/session/start-request.ts";

/** A validated request. Its host and policy are undefined until the configuration is resolved. */
export type AskedRequest = Omit<z.output<typeof StartRequest>, "model"> & {
  readonly model?: ModelEndpoint;
};

/** A request with all defaults applied. */
export type SessionRequest = AskedRequest & {
  readonly host: HostName;
  readonly permissions: PermissionPolicy;
};

/** The settings for one start or resume, resolved from the request and the configuration, and their sources. */
export interface ResolvedSession<Request = SessionRequest> {
  /** The runtime, and all sources that could have named one. */
  readonly decision: RuntimeDecision;
  /** The runtime to use if the decided one is not available. If omitted, an unavailable runtime is an error. */
  readonly fallback?: RuntimeName;
  /** The request with its model, keys, runtime options, host and policy. */
  readonly request: Request;
  /** The request, file, variable or default that decides each setting. */
  readonly sources: Readonly<Record<"model" | "permissions" | "host", string>>;
  /** Warnings about configuration settings that have no effect. */
  readonly warnings: readonly string[];
}

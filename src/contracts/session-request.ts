import type { z } from "zod";
import type { ModelEndpoint } from "../schema/model.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { HostName } from "../schema/runtime.ts";
import type { StartRequest } from "../schema/start-request.ts";

/** A validated request. Its host and policy may still be undefined. */
export type AskedRequest = Omit<z.output<typeof StartRequest>, "model"> & {
  readonly model?: ModelEndpoint;
};

/** A request with all defaults applied. */
export type SessionRequest = AskedRequest & {
  readonly host: HostName;
  readonly permissions: PermissionPolicy;
};

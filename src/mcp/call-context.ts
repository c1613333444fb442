import { z } from "zod";
import { traceParentIn } from "../schema/trace-parent.ts";
import { isRecord } from "../wire/is-record.ts";

/** Lets a tool communicate with its client during a call. */
export interface CallContext {
  /** Aborted when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** True if the client accepts a task instead of a result. */
  readonly takesTasks: boolean;
  /** The client's trace context, from `_meta`. */
  readonly traceparent?: string | undefined;
  /** Sends progress to the client, if the client requested it. */
  progress(progress: number, message: string): Promise<void>;
}

/** The id of MCP's official extension for tasks. */
export const TASKS = "io.modelcontextprotocol/tasks";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** The part of the SDK's context that this module uses. */
interface RequestContext {
  readonly mcpReq: {
    readonly signal: AbortSignal;
    readonly _meta?: object | undefined;
    readonly envelope?: object | undefined;
    notify(notification: { method: string; params?: Record<string, unknown> }): Promise<void>;
  };
}

/** Creates the context of a call from the SDK's context. */
export function callContext({ mcpReq }: RequestContext): CallContext {
  const { signal, _meta, envelope } = mcpReq;
  const { progressToken } = ProgressMeta.catch({}).parse(_meta ?? {});
  return {
    signal,
    takesTasks: hasTasks(envelope),
    traceparent: traceParentIn(_meta),
    async progress(progress, message) {
      if (progressToken === undefined || signal.aborted) return;
      await mcpReq
        .notify({ method: "notifications/progress", params: { progressToken, progress, message } })
        .catch(() => {}); // fails if the client has disconnected
    },
  };
}

/** True if the request declares the tasks extension in its envelope, which exists since protocol version 2026-07-28. */
function hasTasks(envelope: object | undefined): boolean {
  const capabilities = isRecord(envelope) ? envelope[CAPABILITIES] : undefined;
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  return isRecord(extensions) && isRecord(extensions[TASKS]);
}

const ProgressMeta = z.looseObject({
  progressToken: z.union([z.string(), z.number()]).optional(),
});

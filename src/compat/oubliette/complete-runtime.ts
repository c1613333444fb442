import type { FourMethods, Runtime } from "./runtime.ts";

/**
 * Adds the missing members to a caller's runtime, which has at least the four required methods. The default `initialize`
 * does nothing, the default `isAvailable` resolves with true, and the default name is `custom`.
 */
export function completeRuntime(
  runtime: FourMethods & Partial<Runtime>,
  { name = "custom" }: { name?: string } = {},
): Runtime {
  return {
    name: runtime.name ?? name,
    initialize: async (context, options) => runtime.initialize?.(context, options),
    isAvailable: async () => (await runtime.isAvailable?.()) ?? true,
    executeStreaming: (request, options) => runtime.executeStreaming(request, options),
    execute: (request, options) => runtime.execute(request, options),
    ping: (options) => runtime.ping(options),
    close: () => runtime.close(),
    [Symbol.asyncDispose]: () => runtime.close(),
  };
}

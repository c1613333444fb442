import type { Adapter } from "../../../core/adapter.ts";
import type { CodexAdapterOptions } from "../index.ts";

/** Codex as people use it, on a screen: the same server, with a person beside us. Nothing is lost by it. */
export function onScreen(plain: Adapter, options: CodexAdapterOptions): Adapter {
  return {
    ...plain,
    inputs: ["rpc"],
    readiness: { strategy: "prompt", retries: 3 },
    async connect(request) {
      const { connectScreen } = await import("./connect.ts");
      return connectScreen(request, options);
    },
  };
}

import type { Adapter } from "../../../contracts/adapter.ts";
import type { CodexAdapterOptions } from "../index.ts";

/**
 * Creates the adapter for Codex on a screen. Halyard and the screen share a server, so the capabilities do not change.
 */
export function onScreen(plain: Adapter, options: CodexAdapterOptions): Adapter {
  return {
    ...plain,
    inputs: ["rpc"],
    inputAliases: { tmux: "rpc" }, // the screen shows all messages that the server receives
    readiness: { strategy: "prompt", retries: 3 },
    async connect(request) {
      const { connectScreen } = await import("./connect.ts");
      return connectScreen(request, options);
    },
  };
}

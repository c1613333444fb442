import type { Adapter } from "../../core/adapter.ts";
import { raw } from "../../core/draft.ts";
import { HalyardError } from "../../core/error.ts";
import { probeProgram } from "../../core/program.ts";
import { readinessOf, search, type TerminalRuntime } from "./runtime.ts";

/**
 * Any program with a screen. What it says is read off the screen, the last resort: so nothing is claimed that a screen
 * cannot tell.
 */
export function terminalAdapter(runtime: TerminalRuntime): Adapter {
  const { name, entry } = runtime;
  const plain: Adapter = {
    name,
    displayName: name,
    capabilities: [],
    inputs: ["tmux"],
    readiness: readinessOf(entry),
    probe: () => probeProgram(search(runtime)),
    createMapper: () => ({
      map: (message) => [raw(message)],
      flush: () => [],
    }),
    connect: async ({ host }) => {
      throw new HalyardError("unsupported", `${name} needs a screen; use tmux, not ${host.name}`);
    },
  };
  const onScreen: Adapter = {
    ...plain,
    capabilities: ["attach"],
    async connect(request) {
      const { connectTerminal } = await import("./connect.ts");
      return connectTerminal(request, runtime);
    },
  };
  return { ...plain, onScreen };
}

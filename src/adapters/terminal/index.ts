import type { Adapter } from "../../contracts/adapter.ts";
import { raw } from "../../contracts/event-draft.ts";
import { HalyardError } from "../../errors/error.ts";
import { probeProgram } from "../../programs/program.ts";
import { readinessOf, search, type TerminalRuntime } from "./runtime.ts";

/**
 * Creates an adapter for any interactive program. The program needs a screen. The adapter reads replies from the screen,
 * and therefore declares only the capability `attach`.
 */
export function terminalAdapter(runtime: TerminalRuntime): Adapter {
  const { name, entry, projectSettings = [] } = runtime;
  const plain: Adapter = {
    name,
    displayName: name,
    capabilities: [],
    inputs: ["tmux"],
    projectSettings,
    mayDropGitSettings: () => true,
    readiness: readinessOf(entry),
    probe: () => probeProgram(search(runtime)),
    createMapper: () => ({
      map: (message) => [raw(message)],
      flush: () => [],
    }),
    connect: async ({ host }) => {
      throw new HalyardError(
        "unsupported",
        `${name} needs a screen, which the host ${host.name} does not have. Start the session with --host tmux.`,
      );
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

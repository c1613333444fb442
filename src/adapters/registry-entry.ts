import type { Adapter } from "../core/adapter.ts";
import type { Command, Host } from "../core/host.ts";
import type { InputWay } from "../schema/runtime.ts";
import type { RuntimeEntry } from "../schema/runtime-entry.ts";
import type { Availability } from "../schema/runtime-info.ts";

/** A built-in runtime as the user has registered it: with its environment, its arguments and its way in. */
export function withEntry(adapter: Adapter, entry: RuntimeEntry): Adapter {
  const { env = {}, args = [], delivery } = entry;
  const inputs = adapter.inputs ?? ["rpc"];
  const problem = problemOf(adapter, inputs, delivery);
  return {
    ...adapter,
    ...(adapter.onScreen && { onScreen: withEntry(adapter.onScreen, entry) }),
    inputs: delivery === undefined ? inputs : [delivery],
    async probe() {
      if (problem !== undefined) return unavailable(adapter.name, "delivery", problem);
      const found = await adapter.probe();
      if (found.available || entry.bin === undefined) return found;
      return unavailable(adapter.name, "bin", found.reason);
    },
    connect: (request) =>
      adapter.connect({
        ...request,
        env: { ...env, ...request.env },
        host: args.length === 0 ? request.host : prefixing(request.host, args),
      }),
  };
}

function unavailable(name: string, key: string, reason: string): Availability {
  const hint = `correct ${key} of ${name} in ~/.gastown/runtimes.json`;
  return { available: false, reason, hint };
}

/** Whether the host can do it is told apart when a session starts: `tmux` is the host's way, not the runtime's. */
function problemOf(
  { displayName }: Adapter,
  inputs: readonly InputWay[],
  delivery: InputWay | undefined,
): string | undefined {
  if (delivery === undefined || delivery === "tmux" || inputs.includes(delivery)) return undefined;
  return `${displayName} takes messages by ${inputs.join(" or ")}, not by ${delivery}`;
}

/** A host that starts programs with these arguments before their own, or behind the script that Node is to run. */
function prefixing(host: Host, args: readonly string[]): Host {
  const prefixed = (command: Command): Command => {
    const at = command.file === process.execPath ? 1 : 0;
    return { ...command, args: command.args.toSpliced(at, 0, ...args) };
  };
  const { openTerminal, attachTerminal } = host;
  return {
    name: host.name,
    spawn: (command, options) => host.spawn(prefixed(command), options),
    attach: (runDir) => host.attach(runDir),
    ...(openTerminal && {
      openTerminal: (command, options) => openTerminal(prefixed(command), options),
    }),
    ...(attachTerminal && { attachTerminal }),
  };
}

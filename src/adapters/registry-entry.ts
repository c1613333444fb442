import { setTimeout as delay } from "node:timers/promises";
import type { Adapter, Connection } from "../core/adapter.ts";
import type { Command, Host } from "../core/host.ts";
import type { InputWay, Readiness } from "../schema/runtime.ts";
import type { RuntimeEntry } from "../schema/runtime-entry.ts";
import type { Availability } from "../schema/runtime-info.ts";
import { withPromptPrefix } from "./prompt-prefix.ts";

/**
 * A built-in runtime as the user has registered it: with its environment, its arguments, its usual way in and its warm-up.
 * On the local host there is no prompt to wait for: `ready: prompt` leaves readiness to the runtime's protocol there.
 */
export function withEntry(adapter: Adapter, entry: RuntimeEntry): Adapter {
  const { env = {}, args = [], delivery } = entry;
  const inputs = adapter.inputs ?? ["rpc"];
  const problem = problemOf(adapter, inputs, delivery);
  const readiness = readinessOf(adapter, entry);
  return {
    ...adapter,
    ...(adapter.onScreen && { onScreen: screenWithEntry(adapter.onScreen, entry) }),
    ...(readiness && { readiness }),
    inputs: inputs.toSorted((one, other) => rank(one, delivery) - rank(other, delivery)),
    async probe() {
      if (problem !== undefined) return unavailable(adapter.name, "delivery", problem);
      const found = await adapter.probe();
      const isUsual = entry.bin === undefined || entry.bin === adapter.name;
      return found.available || isUsual ? found : unavailable(adapter.name, "bin", found.reason);
    },
    async connect(request) {
      const connection = await adapter.connect({
        ...request,
        env: { ...env, ...request.env },
        ...(delivery !== undefined && inputs.includes(delivery) && { input: delivery }),
        host: args.length === 0 ? request.host : prefixing(request.host, args),
      });
      const warmupMs = request.attach ? 0 : (readiness?.warmupMs ?? 0);
      return warmupMs > 0 ? warmedUp(connection, warmupMs) : connection;
    },
  };
}

function screenWithEntry(adapter: Adapter, entry: RuntimeEntry): Adapter {
  const { ready, ready_prompt_prefix: prefix } = entry;
  const registered = withEntry(adapter, entry);
  if (prefix === undefined || ready === "warmup") return registered;
  return withPromptPrefix(registered, prefix);
}

const rank = (way: InputWay, usual: InputWay | undefined): number => (way === usual ? 0 : 1);

/** A warm-up of a program on a screen is its adapter's own; the others answer a handshake as well. */
function readinessOf(
  { readiness }: Adapter,
  { ready, ready_delay_ms: warmupMs = WARM_UP_MS }: RuntimeEntry,
): Readiness | undefined {
  if (ready !== "warmup" || readiness?.strategy === "warmup") return readiness;
  return { strategy: "warmup", warmupMs, retries: readiness?.retries ?? RETRIES };
}

/** Short, because the runtimes that it is for report their readiness, too. */
const WARM_UP_MS = 1_000;
const RETRIES = 3;

/** The same connection, ready once the delay has passed at the earliest. */
function warmedUp(connection: Connection, warmupMs: number): Connection {
  const ready = connection.ready.bind(connection);
  const isWarm = delay(warmupMs, undefined, { ref: false });
  connection.ready = async () => {
    const handshake = await ready();
    await isWarm;
    return handshake;
  };
  return connection;
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

/** A host that starts programs with these arguments before their own, or after the script if the program is Node. */
function prefixing(host: Host, args: readonly string[]): Host {
  const prefixed = (command: Command): Command => {
    const isScript = command.file === process.execPath;
    const at = isScript ? command.args.findIndex((arg) => !arg.startsWith("-")) + 1 : 0;
    return { ...command, args: command.args.toSpliced(at, 0, ...args) };
  };
  const { openTerminal } = host;
  return {
    ...host,
    spawn: (command, options) => host.spawn(prefixed(command), options),
    ...(openTerminal && {
      openTerminal: (command, options) => openTerminal(prefixed(command), options),
    }),
  };
}

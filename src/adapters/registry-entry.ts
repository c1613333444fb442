import { setTimeout as delay } from "node:timers/promises";
import { REGISTRY } from "../compat/gas-town/files/names.ts";
import type { Adapter, Connection } from "../contracts/adapter.ts";
import type { Command, Host } from "../contracts/host.ts";
import { listInWords } from "../errors/list-in-words.ts";
import type { InputWay, Readiness } from "../schema/runtime.ts";
import type { RuntimeEntry } from "../schema/runtimes/runtime-entry.ts";
import type { Availability } from "../schema/runtimes/runtime-info.ts";
import { withPromptPrefix } from "./prompt-prefix.ts";

/**
 * Wraps a runtime's adapter with the user's entry: environment, arguments, default input and warm-up delay. The local
 * host has no screen that could show a prompt. There, the runtime's protocol determines readiness, even with
 * `ready: prompt`.
 */
export function withEntry(adapter: Adapter, entry: RuntimeEntry): Adapter {
  const { env = {}, args = [] } = entry;
  const inputs = adapter.inputs ?? ["rpc"];
  const delivery = wayNamed(adapter, inputs, entry.delivery);
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

/** Resolves an alias of an input method. Returns the name of an input method, and any unknown name, unchanged. */
function wayNamed(
  { inputAliases = {} }: Adapter,
  inputs: readonly InputWay[],
  name: InputWay | undefined,
): InputWay | undefined {
  return name === undefined || inputs.includes(name) ? name : (inputAliases[name] ?? name);
}

const rank = (way: InputWay, usual: InputWay | undefined): number => (way === usual ? 0 : 1);

/**
 * Returns a registered runtime's readiness. `ready: warmup` in the entry replaces the adapter's readiness, unless the
 * adapter already waits for a warm-up itself.
 */
function readinessOf(
  { readiness }: Adapter,
  { ready, ready_delay_ms: warmupMs = WARM_UP_MS }: RuntimeEntry,
): Readiness | undefined {
  if (ready !== "warmup" || readiness?.strategy === "warmup") return readiness;
  return { strategy: "warmup", warmupMs, retries: readiness?.retries ?? RETRIES };
}

/** The default warm-up delay in milliseconds. It is short, because these runtimes also report their readiness. */
const WARM_UP_MS = 1_000;
const RETRIES = 3;

/** Wraps a connection so that it becomes ready after the delay at the earliest. */
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
  const hint = `correct "${key}" for ${name} in ${REGISTRY}`;
  return { available: false, reason, hint };
}

/**
 * Returns the problem with an entry's delivery, if there is one. `tmux` is the host's input method, not the
 * runtime's, and is checked when a session starts.
 */
function problemOf(
  { displayName }: Adapter,
  inputs: readonly InputWay[],
  delivery: InputWay | undefined,
): string | undefined {
  if (delivery === undefined || delivery === "tmux" || inputs.includes(delivery)) return undefined;
  return `${displayName} receives messages through ${listInWords(inputs, "or")}, not through ${delivery}`;
}

/** Wraps a host so that it inserts arguments before a program's own arguments or, if the program is Node, after the script. */
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

import { look, shown } from "../adapter-kit/look.ts";
import { REGISTRY } from "../compat/gas-town/files/names.ts";
import type { Adapter, ConnectRequest, Handshake } from "../contracts/adapter.ts";
import type { Host } from "../contracts/host.ts";
import type { Terminal } from "../contracts/terminal.ts";
import { HalyardError } from "../errors/error.ts";

/**
 * Wraps the adapter of a runtime on a screen. After the runtime's own handshake, the runtime becomes ready when a line on
 * the screen starts with the prefix. `ready` rejects with `start_failed` if no such line appears before the time limit.
 * After an attach, `ready` does not wait for the prefix.
 */
export function withPromptPrefix(adapter: Adapter, prefix: string): Adapter {
  return {
    ...adapter,
    async connect(request) {
      if (request.attach) return adapter.connect(request);
      let opened: Terminal | undefined;
      const host = observed(request.host, (terminal) => {
        opened = terminal;
      });
      const connection = await adapter.connect({ ...request, host });
      const ready = connection.ready.bind(connection);
      const isShown = ready().then(async (handshake): Promise<Handshake> => {
        if (opened) await waitForPrefix(opened, prefix, request);
        return handshake;
      });
      isShown.catch(() => {}); // `ready` reports the error
      connection.ready = () => isShown;
      return connection;
    },
  };
}

function observed(host: Host, onOpen: (terminal: Terminal) => void): Host {
  const { openTerminal } = host;
  if (openTerminal === undefined) return host;
  return {
    ...host,
    async openTerminal(command, options) {
      const terminal = await openTerminal(command, options);
      onOpen(terminal);
      return terminal;
    },
  };
}

async function waitForPrefix(
  terminal: Terminal,
  prefix: string,
  { limits }: ConnectRequest,
): Promise<void> {
  const wanted = plain(prefix);
  const isThere = (lines: readonly string[]) =>
    lines.some((line) => plain(line).startsWith(wanted));
  const limitMs = limits.readyMs > 0 ? limits.readyMs * 0.9 : Number.POSITIVE_INFINITY;
  const last = await look(terminal, ({ lines }) => isThere(lines), limitMs);
  if (isThere(last.lines)) return;
  throw new HalyardError(
    "start_failed",
    `No line on the screen begins with "${prefix}". Correct ready_prompt_prefix in ${REGISTRY}. The screen shows:\n${shown(last)}`,
  );
}

/** Normalizes spaces. A prompt may end in a space, which the screen omits or shows as another kind of space. */
function plain(text: string): string {
  return text.replaceAll(/\s/g, " ").trim();
}

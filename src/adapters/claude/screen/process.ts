import { HalyardError } from "../../../core/error.ts";
import type { HostProcess } from "../../../core/host.ts";
import { shown } from "../../../core/look.ts";
import type { Terminal } from "../../../core/terminal.ts";

/** A program on a screen whose record stands in the place of what a program writes to its standard output. */
export function asProcess(
  terminal: Terminal,
  record: string,
  { onRead }: { onRead(end: number): void },
): HostProcess {
  return {
    identity: terminal.identity,
    async *output(options) {
      for await (const chunk of terminal.follow(record, options)) {
        yield chunk;
        onRead(chunk.end); // whoever reads has dealt with it
      }
    },
    stderrTail: () => terminal.look().then(shown, () => ""), // the exit says why there is no screen
    write: () => Promise.reject(new HalyardError("unsupported", "a screen is typed to")),
    get exit() {
      return terminal.exit;
    },
    health: () => terminal.health(),
    terminate: (options) => terminal.terminate(options),
    detach: () => terminal.detach(),
    [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
  };
}

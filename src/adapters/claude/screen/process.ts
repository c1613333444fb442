import { shown } from "../../../adapter-kit/look.ts";
import type { HostProcess } from "../../../contracts/host.ts";
import type { Terminal } from "../../../contracts/terminal.ts";
import { HalyardError } from "../../../errors/error.ts";

/** Presents a program on a screen as a process whose stdout is the program's transcript file. */
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
        onRead(chunk.end); // called after the reader has processed the chunk
      }
    },
    stderrTail: () => terminal.look().then(shown, () => ""), // if there is no screen, `exit` reports the reason
    write: () =>
      Promise.reject(
        new HalyardError(
          "unsupported",
          "A program on a screen has no standard input. Type on its screen instead.",
        ),
      ),
    get exit() {
      return terminal.exit;
    },
    health: () => terminal.health(),
    terminate: (options) => terminal.terminate(options),
    detach: () => terminal.detach(),
    [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
  };
}

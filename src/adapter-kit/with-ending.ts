import type { HostProcess } from "../contracts/host.ts";

/** Replacements for the members that end a program. */
interface Ending extends Pick<HostProcess, "terminate"> {
  /** Defaults to the program's own `detach`. */
  readonly detach?: HostProcess["detach"];
}

/** Returns the program with another `terminate`, which disposal also calls, and, if given, another `detach`. */
export function withEnding(process: HostProcess, { terminate, detach }: Ending): HostProcess {
  return {
    identity: process.identity,
    output: (options) => process.output(options),
    stderrTail: () => process.stderrTail(),
    waitedMs: async () => (await process.waitedMs?.()) ?? 0,
    release: async (before, range) => process.release?.(before, range),
    write: (text) => process.write(text),
    get exit() {
      return process.exit; // a getter, because accessing `exit` starts a wait
    },
    health: () => process.health(),
    terminate,
    detach: detach ?? (() => process.detach()),
    [Symbol.asyncDispose]: () => terminate({ graceMs: GRACE_MS }),
  };
}

const GRACE_MS = 5_000;

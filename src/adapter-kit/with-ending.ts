import type { HostProcess } from "../contracts/host.ts";

/** How a program ends that does not stand alone. */
interface Ending extends Pick<HostProcess, "terminate"> {
  /** The program's own, where it is left out. */
  readonly detach?: HostProcess["detach"];
}

/** The same program in all but its end. */
export function withEnding(process: HostProcess, { terminate, detach }: Ending): HostProcess {
  return {
    identity: process.identity,
    output: (options) => process.output(options),
    stderrTail: () => process.stderrTail(),
    waitedMs: async () => (await process.waitedMs?.()) ?? 0,
    release: async (before) => process.release?.(before),
    write: (text) => process.write(text),
    get exit() {
      return process.exit; // to ask for it is to wait for it
    },
    health: () => process.health(),
    terminate,
    detach: detach ?? (() => process.detach()),
    [Symbol.asyncDispose]: () => terminate({ graceMs: GRACE_MS }),
  };
}

const GRACE_MS = 5_000;

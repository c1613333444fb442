import type { ProgramSearch } from "../../core/program.ts";
import type { Readiness } from "../../schema/runtime.ts";
import type { RuntimeEntry } from "../../schema/runtime-entry.ts";

/** A program for people that somebody has registered: all that is known of it is how to start it and when it is ready. */
export interface TerminalRuntime {
  readonly name: string;
  /** The program's path, or its name on the PATH. */
  readonly bin: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly entry: RuntimeEntry;
}

/** No version of it is too old, for none is known. */
export function search({ name, bin, env }: TerminalRuntime): ProgramSearch {
  return {
    displayName: name,
    command: bin,
    bin,
    env,
    describe: async (file) => ({ file }),
    installed: async () => undefined,
    hint: `correct bin of ${name} in ~/.gastown/runtimes.json`,
  };
}

const WARM_UP_MS = 3_000;

/** Once its prompt shows, or, if none is known, after a while. */
export function readinessOf({
  ready,
  ready_delay_ms: warmupMs = WARM_UP_MS,
}: RuntimeEntry): Readiness {
  return ready === "prompt"
    ? { strategy: ready, retries: 3 }
    : { strategy: "warmup", warmupMs, retries: 3 };
}

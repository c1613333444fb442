import { REGISTRY } from "../../compat/gas-town/files/names.ts";
import type { ProgramSearch } from "../../programs/program.ts";
import type { ProjectSetting } from "../../schema/project/project-setting.ts";
import type { Readiness } from "../../schema/runtime.ts";
import type { RuntimeEntry } from "../../schema/runtimes/runtime-entry.ts";

/** An interactive program that the user has registered, with its command and readiness. */
export interface TerminalRuntime {
  readonly name: string;
  /** The program's path, or its name on the PATH. */
  readonly bin: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly entry: RuntimeEntry;
  /** The project files that the program reads. Defaults to none. */
  readonly projectSettings?: readonly ProjectSetting[];
}

/** Describes how to find the program. Any version is accepted. */
export function search({ name, bin, env }: TerminalRuntime): ProgramSearch {
  return {
    displayName: name,
    command: bin,
    bin,
    env,
    describe: async (file) => ({ file }),
    installed: async () => undefined,
    hint: `correct "bin" for ${name} in ${REGISTRY}`,
  };
}

const WARM_UP_MS = 3_000;

/** Returns the readiness: the program is ready when its prompt appears, or after a delay if the prompt is unknown. */
export function readinessOf({
  ready,
  ready_delay_ms: warmupMs = WARM_UP_MS,
}: RuntimeEntry): Readiness {
  return ready === "prompt"
    ? { strategy: ready, retries: 3 }
    : { strategy: "warmup", warmupMs, retries: 3 };
}

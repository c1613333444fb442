import type { ProgramSearch } from "../../core/program.ts";

/** A Pi of the user's own, which is run as it is. */
export function ownProgram(
  bin: string,
  env: Readonly<Record<string, string | undefined>>,
): ProgramSearch {
  return {
    displayName: "Pi",
    command: "pi",
    env,
    bin,
    describe: async (file) => ({ file }),
    installed: async () => undefined,
    hint: "name a program that is there",
  };
}

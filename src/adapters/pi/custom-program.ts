import type { ProgramSearch } from "../../programs/program.ts";

/** Describes how to find a Pi executable that the user configured. */
export function customProgram(
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
    hint: "set the path of an existing program",
  };
}

import type { z } from "zod";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { DroidOptions } from "../../schema/runtimes/runtime-options.ts";

type GivenOptions = z.output<typeof DroidOptions>;

/** Parses a session's Droid options. Throws `invalid_input` if they do not match the schema. */
export function readOptions({ options }: Pick<ConnectRequest, "options">): GivenOptions {
  return parseInput(DroidOptions, options);
}

import type { z } from "zod";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { ClaudeOptions } from "../../schema/runtimes/runtime-options.ts";

/** The validated options of a session, with defaults. */
export type GivenOptions = z.output<typeof ClaudeOptions>;

/** Validates the options of a session. Throws `invalid_input`. */
export function claudeOptions({ options }: Pick<ConnectRequest, "options">): GivenOptions {
  return parseInput(ClaudeOptions, options);
}

import type { z } from "zod";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { ClaudeOptions } from "../../schema/runtimes/runtime-options.ts";

/** A session's validated options, with defaults. */
export type GivenOptions = z.output<typeof ClaudeOptions>;

/** Validates a session's options. Throws `invalid_input` if they do not match the schema. */
export function claudeOptions({ options }: Pick<ConnectRequest, "options">): GivenOptions {
  return parseInput(ClaudeOptions, options);
}

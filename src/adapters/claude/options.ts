import type { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { parseInput } from "../../core/parse-input.ts";
import { ClaudeOptions } from "../../schema/runtime-options.ts";

/** The options of a session, checked and with their defaults. */
export type GivenOptions = z.output<typeof ClaudeOptions>;

export function claudeOptions({ options }: Pick<ConnectRequest, "options">): GivenOptions {
  return parseInput(ClaudeOptions, options);
}

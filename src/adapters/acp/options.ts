import type { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { parseInput } from "../../core/parse-input.ts";
import { AcpOptions } from "../../schema/runtime-options.ts";

/** How long a program that is known to be an agent may be silent, in milliseconds: some start slowly. */
export const KNOWN_GREETING_MS = 30_000;

/** The options of a session, checked and with their defaults. */
export type GivenOptions = z.output<typeof AcpOptions>;

export function readOptions({ options }: Pick<ConnectRequest, "options">): GivenOptions {
  return parseInput(AcpOptions, options);
}

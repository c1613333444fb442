import type { z } from "zod";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { AcpOptions } from "../../schema/runtimes/runtime-options.ts";

/** The handshake timeout for presets, in milliseconds. It is long because some agents start slowly. */
export const PRESET_GREETING_MS = 30_000;

/** A session's parsed options, with defaults. */
export type GivenOptions = z.output<typeof AcpOptions>;

/** Parses a session's ACP options. Throws `invalid_input` if they do not match the schema. */
export function readOptions({ options }: Pick<ConnectRequest, "options">): GivenOptions {
  return parseInput(AcpOptions, options);
}

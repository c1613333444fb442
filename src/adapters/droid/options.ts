import type { z } from "zod";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { HalyardError } from "../../errors/error.ts";
import { DroidOptions } from "../../schema/runtimes/runtime-options.ts";

type GivenOptions = z.output<typeof DroidOptions>;

/** Parses a session's Droid options. Throws `invalid_input` if they do not match the schema. */
export function readOptions({ options }: Pick<ConnectRequest, "options">): GivenOptions {
  const parsed = DroidOptions.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = `options.${issue?.path.join(".")}: ${issue?.message}`;
  throw new HalyardError("invalid_input", message);
}

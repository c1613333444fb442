import type { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import { DroidOptions } from "../../schema/runtime-options.ts";

type GivenOptions = z.output<typeof DroidOptions>;

/** What a session was given for Droid alone. */
export function readOptions({ options }: Pick<ConnectRequest, "options">): GivenOptions {
  const parsed = DroidOptions.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = `options.${issue?.path.join(".")}: ${issue?.message}`;
  throw new HalyardError("invalid_input", message);
}

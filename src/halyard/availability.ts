import { HalyardError } from "../errors/error.ts";
import { sentence } from "../errors/sentence.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { Availability } from "../schema/runtimes/runtime-info.ts";

/** Returns the error for a runtime that cannot run on this machine, or undefined if it can. */
export function whyUnavailable(
  runtime: RuntimeName,
  availability: Availability,
): HalyardError | undefined {
  if (availability.available) return undefined;
  return new HalyardError(
    "runtime_unavailable",
    `${runtime} cannot run here: ${adviceOn(availability)}`,
  );
}

/** Returns why a runtime is not available and what to do, as sentences. */
export function adviceOn({ reason, hint }: Extract<Availability, { available: false }>): string {
  return sentence(`${reason}. ${hint.charAt(0).toUpperCase()}${hint.slice(1)}`);
}

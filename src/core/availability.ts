import type { RuntimeName } from "../schema/runtime.ts";
import type { Availability } from "../schema/runtime-info.ts";
import { HalyardError } from "./error.ts";

/** Why a runtime cannot run here and what to do about it; undefined where it can. */
export function whyUnavailable(
  runtime: RuntimeName,
  availability: Availability,
): HalyardError | undefined {
  if (availability.available) return undefined;
  const { reason, hint } = availability;
  return new HalyardError("runtime_unavailable", `${runtime} cannot run here: ${reason}. ${hint}`);
}

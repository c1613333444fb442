import type { Halyard } from "../core/halyard.ts";
import { type ConnectOptions, connect } from "./connect.ts";

export { HalyardError } from "../core/error.ts";

/** Connects to a Halyard server at an http:// or https:// address. Rejects if no server answers there. */
export function connectHalyard(
  target: string | URL,
  options: ConnectOptions = {},
): Promise<Halyard> {
  return connect(target, options, undefined);
}

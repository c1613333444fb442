import type { Halyard } from "../contracts/halyard.ts";
import { type ConnectOptions, connect } from "./connect.ts";

export { HalyardError } from "../errors/error.ts";

/**
 * Connects to a Halyard server at an http:// or https:// address. Rejects if no server responds at this address, or if
 * the server does not accept the token.
 */
export function connectHalyard(
  target: string | URL,
  options: ConnectOptions = {},
): Promise<Halyard> {
  return connect(target, options, undefined);
}

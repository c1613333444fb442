import { HalyardError } from "./error.ts";

/** Returns the error for an answer to a request that is not open. */
export function requestNotOpen(id: string): HalyardError {
  return new HalyardError(
    "request_not_found",
    `Request "${id}" is not open: it does not exist, it was answered, or its turn has ended. Run "halyard requests" to list open requests.`,
  );
}

import type { Exit } from "../contracts/host.ts";

/** Describes how a program ended, as the predicate of a sentence: `ended with exit code 1`. */
export function exitWords({ code, signal, reason }: Exit): string {
  const withCode = code === undefined ? "" : ` with exit code ${code}`;
  const end = signal === undefined ? `ended${withCode}` : `was killed by ${signal}`;
  return reason === undefined ? end : `${end} because ${reason}`;
}

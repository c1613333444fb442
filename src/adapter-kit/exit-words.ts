import type { Exit } from "../contracts/host.ts";

/** How a program ended, as the rest of a sentence about it. */
export function exitWords({ code, signal, reason }: Exit): string {
  const withCode = code === undefined ? "" : ` with exit code ${code}`;
  const end = signal === undefined ? `ended${withCode}` : `was killed by ${signal}`;
  return reason === undefined ? end : `${end} because ${reason}`;
}

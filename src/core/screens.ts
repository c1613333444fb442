import { HalyardError } from "./error.ts";
import type { Host } from "./host.ts";

/** A host with screens. */
export type ScreenHost = Host & Required<Pick<Host, "openTerminal" | "attachTerminal">>;

/** Rejects a host without. */
export function withScreens(host: Host): ScreenHost {
  const { openTerminal, attachTerminal } = host;
  if (openTerminal && attachTerminal) return { ...host, openTerminal, attachTerminal };
  throw new HalyardError("unsupported", `there are no screens on the host "${host.name}"`);
}

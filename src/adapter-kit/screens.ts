import type { Host } from "../contracts/host.ts";
import { HalyardError } from "../errors/error.ts";

/** A host that supports screens. */
export type ScreenHost = Host & Required<Pick<Host, "openTerminal" | "attachTerminal">>;

/** Returns the host with its screen functions. Throws `unsupported` if the host has no screens. */
export function withScreens(host: Host): ScreenHost {
  const { openTerminal, attachTerminal } = host;
  if (openTerminal && attachTerminal) return { ...host, openTerminal, attachTerminal };
  throw new HalyardError(
    "unsupported",
    `The host "${host.name}" has no screens. Use the host "tmux".`,
  );
}

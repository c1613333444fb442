import { homeDirectory } from "../config/paths.ts";
import { createConfigReader } from "../config/reader.ts";
import type { Halyard } from "../core/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { serveOwner } from "../daemon/serve-owner.ts";
import { type Terminal, warn } from "./terminal.ts";

export interface OpenOptions {
  readonly store?: "sqlite" | "memory";
  /** Accepts commands for the sessions of this process from other processes of the user. Defaults to false. */
  readonly isReachable?: boolean;
}

/** The Halyard that commands work with: in this process, on the user's home. */
export async function openHalyard(
  terminal: Terminal,
  { store = "sqlite", isReachable = false }: OpenOptions = {},
): Promise<Halyard> {
  const { env } = terminal;
  const home = homeDirectory(env);
  const tell = (problem: string) => void warn(terminal, [problem]).catch(() => {}); // nobody there to tell
  const halyard = await createHalyard({
    home,
    env: { ...env },
    store,
    config: createConfigReader({ env, home }),
    onStoreProblem: tell,
    onHookProblem: tell,
  });
  return isReachable ? serveOwner(halyard, { home, onProblem: tell }) : halyard;
}

import { homeDirectory } from "../config/paths.ts";
import { createConfigReader } from "../config/reader.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { serveOwner } from "../server/serve-owner.ts";
import { type Console, warn } from "./console/console.ts";

export interface OpenOptions {
  readonly store?: "sqlite" | "memory";
  /** True to accept commands for the sessions of this process from other processes of the user. Defaults to false. */
  readonly isReachable?: boolean;
}

/** Opens a Halyard instance in this process, with the user's configuration and store. */
export async function openHalyard(
  console: Console,
  { store = "sqlite", isReachable = false }: OpenOptions = {},
): Promise<Halyard> {
  const { env } = console;
  const home = homeDirectory(env);
  // The sink drops text if stderr is closed.
  const onProblem = (problem: string) => void warn(console, [problem]).catch(() => {});
  const halyard = await createHalyard({
    home,
    env: { ...env },
    store,
    config: createConfigReader({ env, home }),
    onStoreProblem: onProblem,
    onHookProblem: onProblem,
  });
  return isReachable ? serveOwner(halyard, { home, onProblem }) : halyard;
}

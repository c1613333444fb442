import { homeDirectory } from "../config/paths.ts";
import { createConfigReader } from "../config/reader.ts";
import type { Halyard } from "../core/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { type Terminal, warn } from "./terminal.ts";

/** The Halyard that commands work with: in this process, on the user's home. */
export function openHalyard(
  terminal: Terminal,
  { store = "sqlite" }: { store?: "sqlite" | "memory" } = {},
): Promise<Halyard> {
  const { env } = terminal;
  const home = homeDirectory(env);
  const tell = (problem: string) => void warn(terminal, [problem]).catch(() => {}); // nobody there to tell
  return createHalyard({
    home,
    env: { ...env },
    store,
    config: createConfigReader({ env, home }),
    onStoreProblem: tell,
    onHookProblem: tell,
  });
}

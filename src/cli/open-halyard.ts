import { homeDirectory } from "../config/paths.ts";
import type { Halyard } from "../core/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import type { Terminal } from "./terminal.ts";

/** The Halyard that commands work with: in this process, on the user's home. */
export function openHalyard(
  { env }: Terminal,
  { store = "sqlite" }: { store?: "sqlite" | "memory" } = {},
): Promise<Halyard> {
  return createHalyard({ home: homeDirectory(env), env: { ...env }, store });
}

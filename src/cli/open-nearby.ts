import { homeDirectory } from "../config/paths.ts";
import type { Halyard } from "../core/halyard.ts";
import { findDaemon } from "../daemon/find.ts";
import type { Terminal } from "./terminal.ts";

/** The Halyard of the daemon if one runs, otherwise one in this process: to look at sessions starts nothing. */
export async function openNearby(terminal: Terminal): Promise<Halyard> {
  const daemon = await findDaemon(homeDirectory(terminal.env));
  if (daemon) {
    const { connectHalyard } = await import("../client/index.ts");
    return connectHalyard(daemon);
  }
  const { openHalyard } = await import("./open-halyard.ts");
  return openHalyard(terminal);
}

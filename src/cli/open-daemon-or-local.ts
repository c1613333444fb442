import { homeDirectory } from "../config/paths.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { findDaemon } from "../daemon/find.ts";
import type { Console } from "./console/console.ts";

/** Connects to the daemon if one runs, otherwise opens a Halyard in this process. Never starts a daemon. */
export async function openDaemonOrLocal(console: Console): Promise<Halyard> {
  const daemon = await findDaemon(homeDirectory(console.env));
  if (daemon) {
    const { connectHalyard } = await import("../client/index.ts");
    return connectHalyard(daemon);
  }
  const { openHalyard } = await import("./open-halyard.ts");
  return openHalyard(console);
}

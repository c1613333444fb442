import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectRequest } from "../../core/adapter.ts";

/** Where Claude keeps its record of a session whose model was given to us; otherwise it is the user's. */
export function configDir({ stateDir }: Pick<ConnectRequest, "stateDir">): string {
  return join(stateDir, "claude");
}

/** Makes it, unless it is there: with nothing of an older Claude in it, which Claude would look for before it is ready. */
export async function makeConfigDir(request: Pick<ConnectRequest, "stateDir">): Promise<void> {
  const directory = configDir(request);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, ".claude.json");
  await writeFile(file, JSON.stringify(upToDate), { mode: 0o600, flag: "wx" }).catch(() => {}); // is there, or Claude makes it
}

const upToDate = {
  migrationVersion: 15,
  opusProMigrationComplete: true,
  hasResetAutoModeOptInForDefaultOffer: true,
};

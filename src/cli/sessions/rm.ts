import { findSession } from "../../halyard/find-session.ts";
import { confirmLoss } from "../console/confirm.ts";
import { openConsole } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";

export interface RmOptions {
  readonly yes?: boolean;
}

export async function rm(names: readonly string[], options: RmOptions): Promise<number> {
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console, { hosts: true });
  const chosen = await Promise.all(names.map((name) => findSession(halyard, name)));
  const shown = chosen.map(({ id, name }) => (name === undefined ? id : `${name} (${id})`));
  await confirmLoss(`Remove ${shown.join(", ")} with all events?`, console, options);
  for (const { id } of chosen) {
    await halyard.remove(id);
    await console.out.write(`${id} removed\n`);
  }
  return 0;
}

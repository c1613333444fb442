import { findSession } from "../../core/find-session.ts";
import { confirmLoss } from "../console/confirm.ts";
import { openNearby } from "../open-nearby.ts";
import { openTerminal } from "../terminal.ts";

export interface RmOptions {
  readonly yes?: boolean;
}

export async function rm(names: readonly string[], options: RmOptions): Promise<number> {
  const terminal = openTerminal();
  await using halyard = await openNearby(terminal);
  const chosen = await Promise.all(names.map((name) => findSession(halyard, name)));
  const shown = chosen.map(({ id, name }) => (name === undefined ? id : `${name} (${id})`));
  await confirmLoss(`Remove ${shown.join(", ")} with all events?`, terminal, options);
  for (const { id } of chosen) {
    await halyard.remove(id);
    await terminal.out.write(`${id} removed\n`);
  }
  return 0;
}

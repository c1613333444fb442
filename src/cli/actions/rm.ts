import { findSession } from "../../core/find-session.ts";
import { openNearby } from "../open-nearby.ts";
import { openTerminal } from "../terminal.ts";

export async function rm(names: readonly string[]): Promise<number> {
  const terminal = openTerminal();
  await using halyard = await openNearby(terminal);
  const chosen = await Promise.all(names.map((name) => findSession(halyard, name)));
  for (const { id } of chosen) {
    await halyard.remove(id);
    await terminal.out.write(`${id} removed\n`);
  }
  return 0;
}

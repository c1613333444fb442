import { findSession } from "../../core/find-session.ts";
import type { PermissionRule } from "../../schema/permission.ts";
import { openNearby } from "../open-nearby.ts";
import { cleanLine } from "../output/clean.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";

export interface RulesOptions {
  readonly format: "text" | "json";
  readonly revoke?: readonly string[];
}

/** Lists what a session allows because a person said "always", and revokes it. */
export async function rules(text: string, { format, revoke }: RulesOptions): Promise<number> {
  const terminal = openTerminal();
  const { out, err } = terminal;
  await using halyard = await openNearby(terminal);
  const found = await findSession(halyard, text);
  const info = revoke ? await halyard.update(found.id, { revoke: [...revoke] }) : found;
  const left = info.rules ?? [];
  for (const rule of left)
    await out.write(format === "json" ? `${JSON.stringify(rule)}\n` : `${inWords(rule)}\n`);
  if (left.length === 0 && format === "text") await err.write("No rules.\n");
  throwIfUnwritable(terminal);
  return 0;
}

function inWords({ id, text }: PermissionRule): string {
  return `${id}  ${cleanLine(text)}`;
}

import { findSession } from "../../halyard/find-session.ts";
import type { PermissionRule } from "../../schema/permission.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { cleanLine } from "../text/clean.ts";

export interface RulesOptions {
  readonly format: "text" | "json";
  readonly revoke?: readonly string[];
}

/** Revokes the given rules, and lists the remaining rules that "always" answers created. */
export async function rules(text: string, { format, revoke }: RulesOptions): Promise<number> {
  const console = openConsole();
  const { out, err } = console;
  await using halyard = await openDaemonOrLocal(console, { hosts: true });
  const found = await findSession(halyard, text);
  const info = revoke ? await halyard.update(found.id, { revoke: [...revoke] }) : found;
  const left = info.rules ?? [];
  for (const rule of left)
    await out.write(format === "json" ? `${JSON.stringify(rule)}\n` : `${describe(rule)}\n`);
  if (left.length === 0 && format === "text") await err.write("No rules.\n");
  throwIfUnwritable(console);
  return 0;
}

function describe({ id, text }: PermissionRule): string {
  return `${id}  ${cleanLine(text)}`;
}

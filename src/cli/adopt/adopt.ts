import { resolve } from "node:path";
import { findSession } from "../../halyard/find-session.ts";
import type { Adopted } from "../../schema/workspace/worktree.ts";
import { openConsole } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { plural } from "../text/format.ts";

export interface AdoptOptions {
  readonly merge?: boolean;
  readonly cwd?: string;
  readonly format: "text" | "json";
}

export async function adopt(session: string, options: AdoptOptions): Promise<number> {
  const { merge = false, cwd = ".", format } = options;
  const console = openConsole();
  await using halyard = await openDaemonOrLocal(console, { hosts: true });
  const { id } = await findSession(halyard, session);
  const adopted = await halyard.adopt(id, { cwd: resolve(cwd), merge });
  const { out } = console;
  await out.write(format === "json" ? `${JSON.stringify(adopted)}\n` : `${describe(adopted)}\n`);
  return 0;
}

function describe({ files, insertions, deletions, root, isStaged }: Adopted): string {
  const next = isStaged ? '. Run "git commit" to finish the merge' : "";
  const size = `${plural(files, "file")}, +${insertions} -${deletions}`;
  return files === 0 ? `${root} already has these changes` : `Changed ${size} in ${root}${next}`;
}

import { resolve } from "node:path";
import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { requireDirectory } from "../../session/session-request.ts";
import { applyPatch } from "../../workspace/transfer/apply-patch.ts";
import { openConsole } from "../console/console.ts";
import { openDaemonOrLocal } from "../open-daemon-or-local.ts";
import { plural } from "../text/format.ts";

export interface PullOptions {
  readonly cwd?: string;
  readonly format: "text" | "json";
}

/**
 * Applies the changes of a session to the files in a directory. Rejects if the session is running a turn or changes
 * files on this machine directly, or if the changes conflict with the files.
 */
export async function pull(session: string, options: PullOptions): Promise<number> {
  const { out, env } = openConsole();
  const directory = resolve(options.cwd ?? ".");
  await requireDirectory(directory);
  await using halyard = await openDaemonOrLocal(openConsole(), { hosts: true });
  const { id, machine, checkout, turn } = await findSession(halyard, session);
  if (machine === undefined && checkout === undefined)
    throw new HalyardError(
      "unsupported",
      `Session ${id} changes files on this machine directly, so there is nothing to pull. Run "halyard diff ${id}" to see its changes, or "halyard adopt ${id}" if it has a worktree.`,
    );
  if (turn)
    throw new HalyardError(
      "invalid_input",
      `Session ${id} is running a turn. Run "halyard wait ${id}" or "halyard interrupt ${id}" first.`,
    );
  const { patch = "", files, insertions, deletions } = await halyard.changes(id, { patch: true });
  const { root, hasChanged } = await applyPatch(directory, Buffer.from(patch, "base64"), env);
  const pulled = { sessionId: id, root, hasChanged, files: files.length, insertions, deletions };
  const size = `${plural(files.length, "file")}, +${insertions} -${deletions}`;
  const text = hasChanged ? `Changed ${size} in ${root}` : `${root} already has these changes`;
  await out.write(`${options.format === "json" ? JSON.stringify(pulled) : text}\n`);
  return 0;
}

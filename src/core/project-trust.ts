import type { FoundSetting } from "../schema/project-setting.ts";
import type { Adapter } from "./adapter.ts";
import { HalyardError } from "./error.ts";
import type { Machine } from "./machine.ts";
import type { AskedRequest } from "./session-request.ts";

/** Whether a session's runtime may read the project's settings, and the warnings about settings that it ignores. */
export interface ProjectTrust {
  readonly trusted: boolean;
  readonly warnings: readonly string[];
}

/**
 * Decides whether the files of the working directory may configure the runtime. Throws `untrusted_directory` if they may
 * not and the adapter cannot disable one of them.
 */
export async function judgeProject(
  { settingsIn, trusts }: Pick<Machine, "settingsIn" | "trusts">,
  { displayName, projectSettings = [] }: Adapter,
  request: AskedRequest,
): Promise<ProjectTrust> {
  if (request.trust === true || (await trusts?.(request))) return { trusted: true, warnings: [] };
  const found = (await settingsIn?.(request.cwd, projectSettings)) ?? [];
  const fatal = found.find(({ ignoredBy }) => ignoredBy === undefined);
  if (fatal)
    throw new HalyardError(
      "untrusted_directory",
      `${describe(fatal)}, ${displayName} cannot be told to ignore it, and ${fatal.directory} is not trusted. ${advice(fatal)}`,
    );
  return { trusted: false, warnings: found.map((one) => toWarning(one)) };
}

function toWarning(found: FoundSetting): string {
  return `${describe(found)}. It is ignored because ${found.directory} is not trusted. ${advice(found)}`;
}

/** The file, and what it does: the sentence is left open. */
function describe({ path, keys, effect }: FoundSetting): string {
  const named = keys.length > 0 ? ` (${keys.slice(0, 5).join(", ")})` : "";
  return `${path}${named} ${effect}`;
}

function advice({ directory }: FoundSetting): string {
  return `If you know who wrote it, run: halyard trust ${directory}`;
}

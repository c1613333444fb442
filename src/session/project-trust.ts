import type { Adapter } from "../contracts/adapter.ts";
import type { Machine } from "../contracts/machine.ts";
import type { AskedRequest } from "../contracts/session-request.ts";
import { HalyardError } from "../errors/error.ts";
import type { FoundSetting } from "../schema/project-setting.ts";

/** Whether the runtime of a session may read the project's settings, and warnings about settings that it ignores. */
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
      `${describe(fatal)}, ${displayName} has no option to ignore it, and ${fatal.directory} is not trusted. ${advice(fatal)}`,
    );
  return { trusted: false, warnings: found.map((one) => toWarning(one)) };
}

function toWarning(found: FoundSetting): string {
  return `${describe(found)}. It is ignored because ${found.directory} is not trusted. ${advice(found)}`;
}

/** Returns the file and its effect as the start of a sentence. */
function describe({ path, keys, effect }: FoundSetting): string {
  const named = keys.length > 0 ? ` (${keys.slice(0, 5).join(", ")})` : "";
  return `${path}${named} ${effect}`;
}

function advice({ directory }: FoundSetting): string {
  return `If you know who wrote it, run: halyard trust ${directory}`;
}

/** The trust of an attached session, whose runtime has already read its settings. */
export const ofRunning: ProjectTrust = { trusted: false, warnings: [] };

import type { Adapter } from "../contracts/adapter.ts";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { AskedRequest } from "../contracts/session-request.ts";
import { HalyardError } from "../errors/error.ts";
import type { GitSetting } from "../programs/git-settings.ts";
import type { FoundSetting } from "../schema/project/project-setting.ts";

/** Whether the project's settings are trusted, and warnings about settings that the runtime ignores. */
export interface ProjectTrust {
  readonly trusted: boolean;
  readonly warnings: readonly string[];
  /** The git settings that disable the filters of an untrusted repository. */
  readonly gitFilters: readonly GitSetting[];
}

/**
 * Decides whether the files of the working directory may configure the runtime. Rejects with `untrusted_directory` if
 * the files are not trusted and the adapter cannot disable one of them or the repository's filters.
 */
export async function judgeProject(
  { filtersIn, settingsIn, trusts }: Pick<HalyardParts, "filtersIn" | "settingsIn" | "trusts">,
  adapter: Pick<Adapter, "name" | "projectSettings" | "mayDropGitSettings">,
  request: AskedRequest,
): Promise<ProjectTrust> {
  if (request.trust === true || (await trusts?.(request)))
    return { trusted: true, warnings: [], gitFilters: [] };
  const { name, projectSettings = [] } = adapter;
  const settings =
    typeof projectSettings === "function" ? projectSettings(request.options) : projectSettings;
  const [found = [], filters] = await Promise.all([
    settingsIn?.(request.cwd, settings),
    filtersIn?.(request.cwd),
  ]);
  const git = filters && { ...filters, effect: "names programs that git runs" };
  const dropsGit = git && adapter.mayDropGitSettings?.(request.options) === true;
  const fatal =
    found.find(({ ignoredBy }) => ignoredBy === undefined) ?? (dropsGit ? git : undefined);
  if (fatal)
    throw new HalyardError(
      "untrusted_directory",
      `${describe(fatal)}, the runtime ${name} cannot ignore it, and ${fatal.directory} is not trusted. ${advice(fatal)}`,
    );
  const ignored = git ? [...found, git] : found;
  return { trusted: false, warnings: ignored.map(toWarning), gitFilters: filters?.off ?? [] };
}

interface Described extends Pick<FoundSetting, "path" | "directory" | "effect"> {
  readonly keys: readonly string[];
}

function toWarning(found: Described): string {
  return `${describe(found)}. It is ignored because ${found.directory} is not trusted. ${advice(found)}`;
}

/** Returns the file and its effect as the start of a sentence. */
function describe({ path, keys, effect }: Described): string {
  const named = keys.length > 0 ? ` (${keys.slice(0, 5).join(", ")})` : "";
  return `${path}${named} ${effect}`;
}

function advice({ directory }: Described): string {
  return `If you know who wrote it, run "halyard trust ${directory}".`;
}

/** The trust of an attached session, whose runtime has already read its settings. */
export const ofRunning: ProjectTrust = { trusted: false, warnings: [], gitFilters: [] };

import { relative } from "node:path";
import { type Environment, homeIn } from "../../programs/environment.ts";
import type { GitSetting } from "../../programs/git-settings.ts";
import type { FoundSetting } from "../../schema/project/project-setting.ts";
import { fixedSettings } from "./git-environment.ts";
import { FILTER, type RepositorySettings, repositorySettings } from "./repository-filters.ts";

/**
 * Returns the settings in a repository's configuration that name programs. Git runs some of these programs for every
 * command, including commands that a runtime runs for its own information. In an untrusted directory, sessions disable
 * the settings that name them. Git runs the other programs only if one of the agent's commands uses them. Returns an
 * empty list if the configuration cannot be read, or if the repository contains the user's home directory, which the
 * user controls.
 */
export async function repositoryPrograms(cwd: string, env: Environment): Promise<FoundSetting[]> {
  const found = await repositorySettings(cwd, env, MAY_NAME_PROGRAMS).catch(() => undefined);
  if (found === undefined || isAboveHome(found, env)) return [];
  const settings = found.settings.filter((one) => !isOurs(one));
  const verifies = settings.some(([name]) => name === "log.showsignature");
  const isUnasked = ([name, value]: GitSetting) =>
    FILTER.test(name) ||
    (name === "core.fsmonitor" && !isBoolean(value)) ||
    (verifies && SIGNATURE.test(name));
  const unasked = settings.filter(isUnasked);
  const asked = settings.filter((one) => !isUnasked(one) && namesProgram(one));
  return [
    ...toFound(found, unasked, { effect: "names programs that git runs", ignoredBy }),
    ...toFound(found, asked, {
      effect: "names programs that git runs if the agent's commands use them",
    }),
  ];
}

const ignoredBy = "GIT_CONFIG_COUNT";

/** A text without these words names no program. Setting names are case-insensitive and have no escapes. */
const MAY_NAME_PROGRAMS =
  /\[\s*(?:filter|include|alias)|fsmonitor|command|external|textconv|driver|hookspath|proxy|pager|editor|askpass|helper|program|pack|vcs|difffilter|\bcmd\b|=\s*"?!/i;

const SIGNATURE = /^gpg\.(?:.*\.)?program$/s;

const PROGRAM =
  /^(?:core\.(?:sshcommand|hookspath|gitproxy|pager|editor|askpass|alternaterefscommand)|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|gpg\.ssh\.defaultkeycommand|sequence\.editor|interactive\.difffilter|pager\..*|remote\..*\.(?:uploadpack|receivepack|vcs)|(?:diff|merge)tool\..*\.cmd|trailer\..*\.(?:command|cmd))$/s;

function namesProgram([name, value]: GitSetting): boolean {
  if (/^(?:alias\.|submodule\..*\.update$)/s.test(name)) return value.startsWith("!");
  if (name.startsWith("pager.") && isBoolean(value)) return false;
  return PROGRAM.test(name);
}

function isBoolean(value: string): boolean {
  return /^(?:true|false|yes|no|on|off|[01]?)$/i.test(value);
}

/** True for the settings with which Halyard runs git, because git lists them as well. */
function isOurs([name, value]: GitSetting): boolean {
  return fixedSettings.some(([ours, fixed]) => ours.toLowerCase() === name && fixed === value);
}

function isAboveHome({ directory }: RepositorySettings, env: Environment): boolean {
  return !/^\.\.(?:\/|$)/.test(relative(directory, homeIn(env)));
}

function toFound(
  { path, directory }: RepositorySettings,
  settings: readonly GitSetting[],
  how: Pick<FoundSetting, "effect" | "ignoredBy">,
): FoundSetting[] {
  if (settings.length === 0) return [];
  const keys = settings.map(([name]) => name);
  const values = settings.map(([, value]) => value);
  return [{ path, directory, runtimes: ["git"], keys, values, ...how }];
}

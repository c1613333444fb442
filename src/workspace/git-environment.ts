import { devNull } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import type { Environment } from "../programs/environment.ts";
import { fileMonitorOff } from "../programs/git-settings.ts";

/**
 * Returns the complete environment of a git process. It contains no `GIT_*` variable of the caller and no home, so that
 * git reads neither the configuration of the user nor that of the machine.
 */
export function gitEnvironment(env: Environment): Record<string, string> {
  const kept = ["PATHEXT", "SYSTEMROOT", "SystemRoot", "TMPDIR", "TEMP", "TMP"];
  const passed = kept.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    ...pathIn(env),
    HOME: devNull,
    LC_ALL: "C", // messages are parsed
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_PAGER: "cat",
    GIT_EDITOR: ":",
    GIT_SSH_COMMAND: "false",
    ...identity,
  };
}

/**
 * Returns the search path without relative entries, which would find programs in the directory that git runs in. If
 * there is no path, the system searches its default directories.
 */
function pathIn({ PATH, Path }: Environment): { PATH?: string } {
  const path = PATH ?? Path;
  if (path === undefined) return {};
  return { PATH: path.split(delimiter).filter(isAbsoluteEntry).join(delimiter) };
}

const isAbsoluteEntry = (entry: string): boolean => isAbsolute(entry);

const identity = {
  GIT_AUTHOR_NAME: "Halyard",
  GIT_AUTHOR_EMAIL: "halyard@localhost",
  GIT_COMMITTER_NAME: "Halyard",
  GIT_COMMITTER_EMAIL: "halyard@localhost",
};

/** Settings that override those of every repository, so that none of them runs a program or changes a log. */
export const fixedSettings: readonly GitSetting[] = [
  fileMonitorOff,
  ["core.hooksPath", devNull],
  ["core.attributesFile", devNull],
  ["core.pager", "cat"],
  ["core.editor", ":"],
  ["core.askPass", ""],
  ["core.sshCommand", "false"],
  ["core.gitProxy", ""],
  ["core.logAllRefUpdates", "false"],
  ["core.quotePath", "false"],
  ["core.splitIndex", "false"],
  ["core.fsyncMethod", "batch"], // one flush for all objects of a command
  ["core.untrackedCache", "false"],
  ["credential.helper", ""],
  ["sequence.editor", ":"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["gpg.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.x509.program", "false"],
  ["log.showSignature", "false"],
  ["protocol.allow", "never"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["submodule.recurse", "false"],
];

/** A git setting and its value. */
export type GitSetting = readonly [name: string, value: string];

/**
 * Returns settings that disable the filters and merge drivers among the given names of settings, or undefined if a name
 * cannot be overridden on the command line.
 */
export function driversOff(names: readonly string[]): readonly GitSetting[] | undefined {
  const drivers = names.flatMap((name) => {
    const [, driver] = /^(filter\..*)\.(?:clean|smudge|process|required)$/s.exec(name) ??
      /^(merge\..*)\.driver$/s.exec(name) ?? [undefined, undefined];
    return driver === undefined ? [] : [driver];
  });
  if (drivers.some((name) => /[=\n]/.test(name))) return undefined;
  return [...new Set(drivers)].flatMap((name): GitSetting[] => {
    if (name.startsWith("merge.")) return [[`${name}.driver`, "false"]];
    const empty = ["clean", "smudge", "process"].map((key): GitSetting => [`${name}.${key}`, ""]);
    return [...empty, [`${name}.required`, "false"]];
  });
}

import { devNull } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { type Environment, homeIn } from "../../programs/environment.ts";
import { fileMonitorOff, type GitSetting, signaturesOff } from "../../programs/git-settings.ts";

/**
 * Returns a git process's whole environment. It contains neither the caller's `GIT_*` variables nor the caller's home,
 * so that git reads neither the user's nor the machine's configuration.
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
    LC_ALL: "C", // a fixed locale, because messages are parsed
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
 * Returns the search path without relative entries, which would find programs in git's working directory. If there is
 * no path, the system searches its default directories.
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

/** Settings that override every repository's settings, so that no repository runs a program or writes a reflog. */
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
  ["core.fsyncMethod", "batch"], // flushes once for all of a command's objects
  ["core.untrackedCache", "false"],
  ["credential.helper", ""],
  ["sequence.editor", ":"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["gpg.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.x509.program", "false"],
  signaturesOff,
  ["protocol.allow", "never"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["submodule.recurse", "false"],
];

/**
 * Returns the variables that let git access a remote repository as the user would, with the user's configuration, keys
 * and proxies. Git never prompts, because no user could answer.
 */
export function remoteEnvironment(env: Environment): Record<string, string> {
  const names = ["SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSL_CAINFO", "SSL_CERT_FILE", "XDG_CONFIG_HOME"];
  const proxies = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"];
  const passed = [...names, ...proxies, ...proxies.map((name) => name.toUpperCase())].flatMap(
    (name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value] as const];
    },
  );
  const home = homeIn(env);
  return {
    ...Object.fromEntries(passed),
    HOME: home,
    GIT_CONFIG_GLOBAL: env.GIT_CONFIG_GLOBAL ?? join(home, ".gitconfig"),
    GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file",
    GIT_SSH_COMMAND: env.GIT_SSH_COMMAND ?? "ssh -o BatchMode=yes",
  };
}

const localOnly: ReadonlySet<string> = new Set([
  "protocol.allow",
  "core.sshCommand",
  "core.gitProxy",
  "credential.helper",
]);

/** The fixed settings without the ones that block access to remote repositories. */
export const remoteSettings: readonly GitSetting[] = fixedSettings.filter(
  ([name]) => !localOnly.has(name),
);

/**
 * Returns settings that disable the filters and merge drivers among the given setting names. Returns undefined if a
 * name cannot be overridden on the command line.
 */
export function driversOff(names: readonly string[]): readonly GitSetting[] | undefined {
  const merges = namesMatching(names, /^(merge\..*)\.driver$/s);
  const settings: GitSetting[] = [
    ...filtersOff(names),
    ...merges.map((name): GitSetting => [`${name}.driver`, "false"]),
  ];
  return settings.some(([name]) => /[=\n]/.test(name)) ? undefined : settings;
}

/** Returns settings that disable the filters among the given setting names. */
export function filtersOff(names: readonly string[]): GitSetting[] {
  return namesMatching(names, /^(filter\..*)\.(?:clean|smudge|process|required)$/s).flatMap(
    (name) => [
      ...["clean", "smudge", "process"].map((key): GitSetting => [`${name}.${key}`, ""]),
      [`${name}.required`, "false"],
    ],
  );
}

/** Returns the first capture group of every match, without duplicates. */
function namesMatching(names: readonly string[], pattern: RegExp): string[] {
  return [...new Set(names.flatMap((name) => pattern.exec(name)?.[1] ?? []))];
}

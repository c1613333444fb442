import { sep } from "node:path";
import type { FoundSetting } from "../../schema/project/project-setting.ts";
import type { TrustFile } from "../files/trust.ts";
import { fingerprint } from "./fingerprint.ts";
import { realDirectory } from "./is-trusted.ts";

/** The trust of a directory, and the reason for it. */
export type DirectoryTrust =
  | { readonly trusted: false }
  /** The user's list contains the directory or one above it. */
  | { readonly trusted: true; readonly by: "list"; readonly directory: string }
  /** The user has accepted exactly these settings. */
  | { readonly trusted: true; readonly by: "answer" };

/**
 * Determines whether a directory is trusted. `find` returns the settings that apply to the directory. The directory is
 * trusted if the user's list covers it and the directories of these settings, or if the user has accepted exactly these
 * settings. `toOrigin` maps the paths of settings in a worktree to the directory that the user has decided about.
 */
export async function directoryTrust(
  cwd: string,
  trust: TrustFile | undefined,
  find: () => Promise<readonly FoundSetting[]>,
  toOrigin = (path: string): string => path,
): Promise<DirectoryTrust> {
  const { directories = [], answers = {} } = trust ?? {};
  if (directories.length === 0 && Object.keys(answers).length === 0) return { trusted: false };
  const real = await realDirectory(cwd);
  const directory = trustedBy(real, directories);
  if (directory === undefined && !Object.hasOwn(answers, real)) return { trusted: false };
  const found = await find();
  const owners = await Promise.all(found.map((one) => realDirectory(toOrigin(one.directory))));
  const areListed = owners.every((one) => trustedBy(one, directories) !== undefined);
  if (directory !== undefined && areListed) return { trusted: true, by: "list", directory };
  const isAgreed =
    answers[real] !== undefined && answers[real] === (await fingerprint(found, toOrigin));
  return isAgreed ? { trusted: true, by: "answer" } : { trusted: false };
}

/** Returns the listed directory that equals or contains the given directory, or undefined. */
export function trustedBy(real: string, directories: readonly string[]): string | undefined {
  return directories.find(
    (one) => real === one || real.startsWith(one === sep ? sep : `${one}${sep}`),
  );
}

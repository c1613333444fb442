import { sep } from "node:path";
import type { FoundSetting } from "../../schema/project-setting.ts";
import type { TrustFile } from "../files/trust.ts";
import { realDirectory } from "../trust.ts";
import { fingerprint } from "./fingerprint.ts";

/** Why a directory is trusted, or that it is not. */
export type DirectoryTrust =
  | { readonly trusted: false }
  /** A directory of the user's list: this one, or one above it. */
  | { readonly trusted: true; readonly by: "list"; readonly directory: string }
  /** The settings are those that the user agreed to when asked. */
  | { readonly trusted: true; readonly by: "answer" };

/**
 * Answers what the files of a directory may decide: everything if the user trusts it, nothing otherwise. A directory is
 * trusted if it is on the user's list together with every directory above it that has settings, or if the user agreed to
 * these very settings.
 */
export async function directoryTrust(
  cwd: string,
  trust: TrustFile | undefined,
  find: () => Promise<readonly FoundSetting[]>,
): Promise<DirectoryTrust> {
  const { directories = [], answers = {} } = trust ?? {};
  if (directories.length === 0 && Object.keys(answers).length === 0) return { trusted: false };
  const real = await realDirectory(cwd);
  const directory = trustedBy(real, directories);
  if (directory === undefined && !Object.hasOwn(answers, real)) return { trusted: false };
  const found = await find();
  const owners = await Promise.all(found.map((one) => realDirectory(one.directory)));
  const areListed = owners.every((one) => trustedBy(one, directories) !== undefined);
  if (directory !== undefined && areListed) return { trusted: true, by: "list", directory };
  const isAgreed = answers[real] !== undefined && answers[real] === (await fingerprint(found));
  return isAgreed ? { trusted: true, by: "answer" } : { trusted: false };
}

/** The directory of the list that covers this one. */
export function trustedBy(real: string, directories: readonly string[]): string | undefined {
  return directories.find(
    (one) => real === one || real.startsWith(one === sep ? sep : `${one}${sep}`),
  );
}

import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
import type { LocalFile } from "../config.ts";
import type { TrustFile } from "../files/trust.ts";

/** True if the user's list of trusted directories contains the directory or one above it. */
export async function isTrusted(directory: string, trust: TrustFile | undefined): Promise<boolean> {
  const directories = trust?.directories ?? [];
  if (directories.length === 0) return false;
  const real = await realDirectory(directory);
  return directories.some(
    (one) => real === one || real.startsWith(one.endsWith(sep) ? one : `${one}${sep}`),
  );
}

/** Describes a setting that is ignored because its directory is not trusted. Contains the command that trusts the directory. */
export function refusal({ path, directory }: LocalFile<unknown>, what: string): string {
  return `${path} ${what}: ${directory} is not trusted. If you know who wrote it, run "halyard trust ${directory}".`;
}

/** Resolves symbolic links. Returns the path itself if the directory does not exist. */
export async function realDirectory(directory: string): Promise<string> {
  const absolute = resolve(directory);
  return realpath(absolute).catch(() => absolute);
}

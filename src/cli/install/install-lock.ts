import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type ClaimOptions, withClaim } from "../../claims/with-claim.ts";

/** Runs `work` while no other process installs into or removes that directory. */
export async function withInstallLock<T>(
  directory: string,
  options: ClaimOptions,
  work: () => Promise<T>,
): Promise<T> {
  const parent = dirname(directory);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  return withClaim(join(parent, `.${basename(directory)}.lock`), options, work);
}

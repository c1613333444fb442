import { basename, dirname, join } from "node:path";
import { type ClaimOptions, withClaim } from "../../claims/with-claim.ts";
import { homeError } from "../../errors/home-error.ts";
import { makeDirectory } from "../../files/make-directory.ts";

/** Runs `work` under a lock, so that no other process installs into or removes the directory at the same time. */
export async function withInstallLock<T>(
  directory: string,
  options: ClaimOptions,
  work: () => Promise<T>,
): Promise<T> {
  const parent = dirname(directory);
  await makeDirectory(parent, { mode: 0o700 }).catch((cause) => {
    throw homeError(`Cannot create ${parent}`, cause);
  });
  return withClaim(join(parent, `.${basename(directory)}.lock`), options, work);
}

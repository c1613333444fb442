import { pathToFileURL } from "node:url";
import { HalyardError } from "../../../errors/error.ts";
import { findPi, type PiPaths } from "../find.ts";

/** Pi's SDK module. */
export type PiSdk = typeof import("@earendil-works/pi-coding-agent");

/**
 * Imports Pi into this process, which takes about 1 s the first time. Throws `runtime_unavailable` if no usable Pi is
 * installed, or if the Pi can run only as a separate process.
 */
export async function loadPi(paths: PiPaths): Promise<PiSdk> {
  const { entry, version } = await findPi(paths);
  if (entry !== undefined) {
    const sdk: PiSdk = await import(pathToFileURL(entry).href);
    if (sdk.AuthStorage !== undefined && sdk.ModelRegistry?.inMemory !== undefined) return sdk;
  }
  throw new HalyardError(
    "runtime_unavailable",
    `Pi ${version} can run only as a separate process. Set the option "mode" of the Pi adapter to "rpc".`,
  );
}

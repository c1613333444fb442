import { resolve } from "node:path";
import { HalyardError } from "../errors/error.ts";
import { homeError } from "../errors/home-error.ts";
import { makeDirectory } from "./make-directory.ts";

/**
 * Creates Halyard's home if it does not exist, and returns its absolute path. Only the user can access a new home.
 * Rejects if the path is empty or the directory cannot be created.
 */
export async function makeHome(path: string): Promise<string> {
  if (path === "")
    throw new HalyardError(
      "invalid_input",
      "The path of Halyard's home is empty. Set the home option or HALYARD_HOME to a directory.",
    );
  const home = resolve(path);
  try {
    await makeDirectory(home, { mode: 0o700 });
    return home;
  } catch (cause) {
    throw homeError(`Cannot create Halyard's home ${home}`, cause);
  }
}

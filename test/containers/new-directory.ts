import { chown } from "node:fs/promises";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** A directory for the test that runs, of the user that containers run as. */
export async function newDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  await chown(directory, 1000, 1000);
  return directory;
}

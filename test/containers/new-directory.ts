import { chown } from "node:fs/promises";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** Creates a directory for the current test, owned by the user of the containers. */
export async function newDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  await chown(directory, 1000, 1000);
  return directory;
}

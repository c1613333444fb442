import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** The program of that name on the PATH. */
export async function findOnPath(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  for (const directory of (env.PATH ?? "").split(delimiter)) {
    const file = join(directory, name);
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (directory !== "" && isProgram) return file;
  }
  return undefined;
}

import { randomBytes } from "node:crypto";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { HalyardError } from "../errors/error.ts";
import { homeError } from "../errors/home-error.ts";

/**
 * Returns the token that network clients must send. Creates the token on first use, in a file that only the user can
 * read. Rejects if the file is empty, or if it cannot be created or read.
 */
export async function readToken(file: string): Promise<string> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await using created = await open(file, "wx", 0o600);
    const token = randomBytes(32).toString("base64url");
    await created.writeFile(`${token}\n`);
    return token;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST"))
      throw homeError("Cannot start a daemon on the network", error);
  }
  const token = (await readFile(file, "utf8")).trim();
  if (token !== "") return token;
  throw new HalyardError(
    "invalid_config",
    `The token file ${file} is empty. Remove it to create a new token.`,
  );
}

import { rename, writeFile } from "node:fs/promises";

/** Writes a private file: all of it or nothing, whoever reads it and whenever we may die. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

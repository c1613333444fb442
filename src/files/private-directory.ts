import { lstat, mkdir } from "node:fs/promises";
import { HalyardError } from "../errors/error.ts";

/**
 * Creates a directory for sockets if it does not exist. Rejects with `invalid_input` if another user owns or can access
 * the directory.
 */
export async function requirePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(directory);
  if (uid === process.getuid?.() && (mode & 0o077) === 0) return;
  throw new HalyardError(
    "invalid_input",
    `Other users can access ${directory}. Run "chmod 700 ${directory}", or remove the directory if another user owns it.`,
  );
}

import { createHash } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { type Environment, temporaryRoot } from "../config/paths.ts";
import { HalyardError } from "../core/error.ts";

/** Linux takes 107 bytes, macOS 103. */
const LONGEST_PATH = 100;

/** Where a home's daemon listens: in the home, or where the path is shorter, in a place of this user's alone. */
export async function prepareSocketPath(home: string, env: Environment): Promise<string> {
  const path = chooseSocketPath(home, env);
  if (dirname(path) !== home) await requirePrivate(dirname(path));
  return path;
}

function chooseSocketPath(home: string, env: Environment): string {
  const inHome = join(home, "daemon.sock");
  if (Buffer.byteLength(inHome) <= LONGEST_PATH) return inHome;
  const name = `${createHash("sha256").update(home).digest("hex").slice(0, 16)}.sock`;
  const candidates = [env.XDG_RUNTIME_DIR ?? "", temporaryRoot(), "/tmp"].filter(isAbsolute);
  const paths = candidates.map((base) => join(base, `halyard-${process.getuid?.() ?? 0}`, name));
  const short = paths.find((path) => Buffer.byteLength(path) <= LONGEST_PATH);
  if (short !== undefined) return short;
  throw new HalyardError(
    "invalid_input",
    `${inHome} is too long a path for a socket; set HALYARD_HOME or XDG_RUNTIME_DIR to a shorter one`,
  );
}

/** Creates a directory for sockets. Rejects if another user owns it or can access it. */
export async function requirePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(directory);
  if (uid === process.getuid?.() && (mode & 0o077) === 0) return;
  throw new HalyardError(
    "invalid_input",
    `${directory} is not private to you; remove it, or set XDG_RUNTIME_DIR to a directory of your own`,
  );
}

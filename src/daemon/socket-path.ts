import { createHash } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { type Environment, temporaryRoot } from "../config/paths.ts";
import { HalyardError } from "../errors/error.ts";

/** The maximum length of a socket path in bytes. Linux allows 107, macOS 103. */
const LONGEST_PATH = 100;

/**
 * Returns the path of the daemon's socket: in the home, or in a private directory with a shorter path if the home's
 * path is too long.
 */
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
    `The path ${inHome} is too long for a socket. Set HALYARD_HOME or XDG_RUNTIME_DIR to a shorter path.`,
  );
}

/** Creates a directory for sockets. Rejects if another user owns it or can access it. */
export async function requirePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(directory);
  if (uid === process.getuid?.() && (mode & 0o077) === 0) return;
  throw new HalyardError(
    "invalid_input",
    `Other users can access ${directory}. Remove it, or set XDG_RUNTIME_DIR to a private directory.`,
  );
}

import { createHash } from "node:crypto";
import { dirname, isAbsolute, join } from "node:path";
import { type Environment, temporaryRoot } from "../config/paths.ts";
import { HalyardError } from "../errors/error.ts";
import { requirePrivate } from "../files/private-directory.ts";

/** The maximum length of a socket path in bytes. Linux allows 107, macOS 103. */
const LONGEST_PATH = 100;

/**
 * Returns the path of the daemon's socket in the home. If that path is too long, creates a private directory with a
 * shorter path and returns a path in that directory. Rejects if other users can access that directory, or if every
 * possible path is too long.
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

import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { requirePrivate } from "../files/private-directory.ts";

/** The files for the connection to a host. */
export interface TunnelPaths {
  /** The socket that is forwarded to the remote daemon. */
  readonly socket: string;
  /** The control socket of `ssh`. */
  readonly control: string;
  /** A directory that exists while a process opens the connection. */
  readonly lock: string;
  /** The file that contains the reason for the last failure. */
  readonly failure: string;
  /** The path prefix of other files. */
  readonly prefix: string;
}

/**
 * Returns the files for the connection to a host, and creates their private directory. The directory is in the home, or in
 * `/tmp` if the home's path is too long for a socket or contains a character that `ssh` interprets.
 */
export async function prepareTunnelPaths(home: string, name: string): Promise<TunnelPaths> {
  const inHome = join(home, "ssh");
  const isUsable = Buffer.byteLength(inHome) <= LONGEST_DIRECTORY && !/[%:\s"]/.test(inHome);
  const directory = isUsable ? inHome : join("/tmp", `halyard-${process.getuid?.() ?? 0}`);
  if (isUsable) await mkdir(directory, { recursive: true, mode: 0o700 });
  await requirePrivate(directory);
  const key = createHash("sha256").update(`${home}\0${name}`).digest("hex").slice(0, 12);
  const prefix = join(directory, key);
  return {
    prefix,
    socket: `${prefix}.sock`,
    control: `${prefix}.ctl`,
    lock: `${prefix}.lock`,
    failure: `${prefix}.failed`,
  };
}

/**
 * The maximum length of the directory's path, in bytes. A socket path has at most 103 bytes, and `ssh` appends 17
 * characters to the path of the control socket while it creates the socket.
 */
const LONGEST_DIRECTORY = 65;

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Host, HostProcess } from "../../../contracts/host.ts";
import { ServerFiles } from "./server-files.ts";

/** The parts of a running server that another Halyard instance started, in this or another process. */
export interface RunningServer {
  readonly process: HostProcess;
  readonly files: ServerFiles;
  readonly password: string;
}

/** Identifies a server by the directory that contains its run directory, and by its key. */
export interface ServerLocation {
  readonly directory: string;
  readonly key: string;
}

/** Returns the prefix that the names of all run directories for a key share. */
export function runNamePrefix(key: string): string {
  return `opencode-${key}-`;
}

/** Returns the names of the run directories of all servers in a directory, for all keys. */
export async function runNamesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => /^opencode-[0-9a-f]{16}-/.test(name));
}

/**
 * Finds a running server and claims it for a session, so that it is not stopped. Returns undefined if there is none.
 */
export async function claimRunning(
  { directory, key }: ServerLocation,
  session: string,
  host: Host,
): Promise<RunningServer | undefined> {
  const names = await readdir(directory);
  for (const name of names.filter((name) => name.startsWith(runNamePrefix(key)))) {
    const files = new ServerFiles(join(directory, name));
    if (!(await files.tryClaim(session))) continue;
    const found = await findProcess(files, host);
    if (found) return { ...found, files };
    await files.unclaim(session);
  }
  return undefined;
}

async function findProcess(
  files: ServerFiles,
  host: Host,
): Promise<Omit<RunningServer, "files"> | undefined> {
  const secret = await files.read().catch(() => undefined); // undefined if the process died before it wrote the secret
  if (secret === undefined) return undefined;
  const process = await host.attach(files.runDir).catch(() => undefined); // undefined if the record is unreadable
  if (process === undefined) return undefined;
  if ((await process.health()) === "alive") return { process, password: secret.password };
  await process.detach();
  return undefined;
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContainerEngine } from "../../../contracts/container-engine.ts";
import { HalyardError, reasonOf } from "../../../errors/error.ts";
import { sentence } from "../../../errors/sentence.ts";
import { SECRETS_FILE } from "../../../session/session-secrets.ts";
import { RECORD_FILE } from "../../recording/run-files.ts";
import { type TarEntry, tarOfEntries } from "../engines/tar.ts";
import type { ContainerUser } from "../user.ts";

export interface CopyRequest {
  readonly engine: ContainerEngine;
  readonly container: string;
  /** The container's directory on this machine. The copies have the same path in the container. */
  readonly directory: string;
  /** Files and directories to copy, relative to `directory`. */
  readonly paths: readonly string[];
  readonly user: ContainerUser;
}

/** Copies files that Halyard wrote for a program into a container that shares no directory with this machine. */
export async function copyIn(request: CopyRequest): Promise<void> {
  const { engine, container, directory, paths, user } = request;
  const parents = paths.flatMap((path) =>
    path.split("/").map((_, at, all) => all.slice(0, at + 1).join("/")),
  );
  const entries = [...new Set(parents)].map((name) => directoryEntry(name, user));
  const files = paths.flatMap((path) => filesBelow(directory, path, user));
  const made = await engine.exec(container, {
    args: ["/bin/sh", "-c", 'umask 022 && mkdir -p "$1"', "sh", directory],
    user: "0",
  });
  try {
    if (made.code !== 0) throw new Error(made.stderr.trim());
    await engine.copyInto(container, directory, tarOfEntries([...entries, ...files]));
  } catch (cause) {
    const message = `Could not copy the agent's files to ${directory} in the container ${container}: ${sentence(reasonOf(cause))} Make that path writable in the container.`;
    throw new HalyardError("start_failed", message, { cause });
  }
}

function directoryEntry(name: string, user: ContainerUser): TarEntry {
  return { name: `${name}/`, mode: 0o700, ...user };
}

/**
 * Returns the regular files and directories below a path, without recordings and files that only Halyard reads.
 */
function filesBelow(directory: string, path: string, user: ContainerUser): TarEntry[] {
  return entriesIn(join(directory, path)).flatMap((entry): TarEntry[] => {
    const name = `${path}/${entry.name}`;
    if (entry.isDirectory())
      return [directoryEntry(name, user), ...filesBelow(directory, name, user)];
    if (!entry.isFile() || HERE_ONLY.includes(entry.name)) return [];
    return [{ name, content: readFileSync(join(directory, name)), mode: 0o600, ...user }];
  });
}

const HERE_ONLY: readonly string[] = [RECORD_FILE, SECRETS_FILE, "stdout", "stderr"];

function entriesIn(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // the runtime has no state to copy
  }
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ContainerRuntime } from "../../../containers/container-runtime.ts";
import { type TarEntry, tarOfEntries } from "../../../containers/tar.ts";
import { HalyardError, reasonOf } from "../../../core/error.ts";
import { SECRETS_FILE } from "../../../core/session-secrets.ts";
import { RECORD_FILE } from "../../recording/run-files.ts";
import type { ContainerUser } from "../user.ts";

export interface CopyRequest {
  readonly engine: ContainerRuntime;
  readonly container: string;
  /** Of the place; in the container at the same path. */
  readonly directory: string;
  /** What to copy, relative to it. */
  readonly paths: readonly string[];
  readonly user: ContainerUser;
}

/** Copies files that Halyard has written for a program into a container that shares no directory with it. */
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
    const message = `The agent's files could not be copied to ${directory} in the container ${container}: ${reasonOf(cause)}. Its file system has to be writable there.`;
    throw new HalyardError("start_failed", message, { cause });
  }
}

function directoryEntry(name: string, user: ContainerUser): TarEntry {
  return { name: `${name}/`, mode: 0o700, ...user };
}

/** Regular files and directories: pipes and records stay here. */
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
    return []; // a runtime without state
  }
}

import { join } from "node:path";
import { listAgentFiles, readAgentFile, writeAgentFile } from "./agent-writable.ts";

/**
 * Options for reading a record that is copied. They reject a record of more than 256 MiB, because a shortened copy
 * would lose the newest messages silently.
 */
export const WHOLE_RECORD = { maxBytes: 256 * 1024 * 1024, isWhole: true } as const;

/**
 * Copies files between two directories that agents can write to, without following links. `directory` is relative to
 * both. Returns the relative paths of the copies. Throws `limit_exceeded` if a wanted file has more than 256 MiB.
 */
export function copyAgentFiles(
  from: string,
  to: string,
  directory: string,
  isWanted: (path: string) => boolean,
): string[] {
  return listStateFiles(from, directory).filter((path) => {
    if (!isWanted(path)) return false;
    const text = readAgentFile(from, path, WHOLE_RECORD);
    if (text !== undefined) writeAgentFile(to, path, text);
    return text !== undefined;
  });
}

/** The maximum depth of directories to search, because the agent may have nested directories to any depth. */
const DEPTH = 6;

/**
 * Lists the files below a directory that an agent can write to, as paths relative to `root`. Skips directories that are
 * nested too deeply.
 */
export function listStateFiles(root: string, directory: string, depth = 0): string[] {
  return listAgentFiles(root, directory).flatMap(({ name, isDirectory }) => {
    const path = join(directory, name);
    if (!isDirectory) return [path];
    return depth < DEPTH ? listStateFiles(root, path, depth + 1) : [];
  });
}

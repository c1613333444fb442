import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isWithin } from "../files/is-within.ts";
import { protectedNameIn } from "./protected-names.ts";

/** The directories that a path is checked against. */
export interface PathScope {
  /** The session's working directory. */
  readonly cwd: string;
  /** Directories in which every edit needs permission, such as Halyard's home. They may be inside or outside `cwd`. */
  readonly protectedDirs: readonly string[];
}

/** The location of a path relative to the working directory, after links are resolved. `real` contains no links. */
export type PathLocation =
  | { readonly location: "inside"; readonly real: string }
  | { readonly location: "protected"; readonly real: string; readonly reason: string }
  | { readonly location: "outside"; readonly reason: string };

/**
 * Resolves a path that a tool names, component by component like the kernel, and returns its location. A path that
 * programs interpret in several ways (`@`, quotes, a URL, `..` after a link) is `inside` only if every interpretation
 * is. A path is `outside` if it is empty, starts with `~`, `$` or `%`, contains control characters or cannot be
 * resolved. Synchronous, because a verdict needs only a few `lstat` calls.
 */
export function locatePath(path: string, scope: PathScope): PathLocation {
  try {
    const root = realpathSync(scope.cwd);
    let first: PathLocation | undefined;
    for (const reading of readingsOf(path, scope.cwd)) {
      const found = locateReading(reading, root, scope);
      if (found.location !== "inside") return found;
      first ??= found;
    }
    return first ?? outside(`${JSON.stringify(path)} is not a plain path`);
  } catch {
    return outside(`${JSON.stringify(path)} cannot be resolved`);
  }
}

/** Returns the absolute paths that a program may mean by this path. Returns an empty list if it is not a plain path. */
function readingsOf(path: string, cwd: string): string[] {
  const hasControls = /\p{Cc}/u.test(path);
  if (path.trim() === "" || hasControls || /^["'@\s]*[~$%]/.test(path)) return [];
  const variants = new Set([path, path.trim()]);
  const add = (toVariant: (variant: string) => string) => {
    for (const variant of [...variants]) variants.add(toVariant(variant));
  };
  add((variant) => variant.replace(/^@+/, ""));
  add((variant) => variant.replaceAll(/\p{Zs}/gu, " "));
  add((variant) => variant.replaceAll(/\\(.)/g, "$1"));
  add((variant) => variant.replace(/^(["'])(.*)\1$/, "$2"));
  add((variant) => (/^file:/i.test(variant) ? fileURLToPath(variant) : variant));
  // A program may or may not normalize `..` before the kernel resolves the path.
  return [...variants].flatMap((variant) => [
    isAbsolute(variant) ? variant : `${cwd}/${variant}`,
    resolve(cwd, variant),
  ]);
}

function locateReading(path: string, root: string, { protectedDirs }: PathScope): PathLocation {
  const { real, names } = walk(path, root);
  const guarded = protectedDirs
    .map(realIfExists)
    .find(
      (directory) =>
        isWithin(real, directory) && (root === directory || !isWithin(root, directory)),
    );
  if (guarded !== undefined) return protectedAt(real, `is in ${guarded}, which belongs to Halyard`);
  if (!isWithin(real, root)) return outside(`${real} is outside the working directory`);
  const name = protectedNameIn(names);
  if (name !== undefined) return protectedAt(real, `is protected: ${name}`);
  const repository = ancestorsOf(real, root).find(isGitDirectory);
  if (repository !== undefined) return protectedAt(real, `is in the git directory ${repository}`);
  const stats = lstatIfExists(real);
  if (stats && !stats.isFile() && !stats.isDirectory())
    return protectedAt(real, "is a pipe, a socket or a device");
  if (stats?.isFile() && stats.nlink > 1)
    return protectedAt(real, "is a hard link: the file has another name elsewhere");
  return { location: "inside", real };
}

/** Follows links and `..` in order. `names` are the components inside the root. */
function walk(path: string, root: string): { real: string; names: string[] } {
  const rest = componentsOf(path);
  const names: string[] = [];
  let current = "/";
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === ".") continue;
    if (current === PROCESSES) throw new Error(`${path} leads to another file in each process`);
    if (name === "..") {
      current = dirname(current);
      continue;
    }
    if (isWithin(current, root)) names.push(name);
    const next = join(current, name);
    if (!lstatIfExists(next)?.isSymbolicLink()) {
      current = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new Error(`too many links in ${path}`);
    const target = readlinkSync(next);
    rest.unshift(...componentsOf(target));
    if (isAbsolute(target)) current = "/";
  }
  return { real: current, names };
}

/**
 * A directory whose links depend on the process that follows them: `/proc/self/cwd` of the agent differs from that of
 * Halyard.
 */
const PROCESSES = "/proc";

/** The maximum number of links in a path, as in Linux. */
const MAX_LINKS = 40;

function componentsOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}

/** Returns the status of a path, or undefined if the path does not exist. Throws if the status cannot be determined. */
function lstatIfExists(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

function realIfExists(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

/** Returns the directories above a path, up to and including the root. */
function ancestorsOf(path: string, root: string): string[] {
  const above: string[] = [];
  for (let at = path; isWithin(at, root); at = dirname(at)) {
    if (at !== path) above.push(at);
    if (at === dirname(at)) break;
  }
  return above;
}

/** True for a bare repository, or a repository that a `.git` file refers to. */
function isGitDirectory(directory: string): boolean {
  if (lstatIfExists(join(directory, "HEAD")) === undefined) return false;
  return ["objects", "commondir"].some(
    (name) => lstatIfExists(join(directory, name)) !== undefined,
  );
}

function outside(reason: string): PathLocation {
  return { location: "outside", reason };
}

function protectedAt(real: string, why: string): PathLocation {
  return { location: "protected", real, reason: `${real} ${why}` };
}

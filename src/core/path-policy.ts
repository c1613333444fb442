import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isProtectedName } from "./protected-names.ts";

/** What a path is judged against. */
export interface PathScope {
  /** The session's working directory. */
  readonly cwd: string;
  /** Directories that no tool edits unasked, wherever they are: Halyard's home. */
  readonly protectedDirs: readonly string[];
}

/** Where a path really leads. */
export type PathPlace =
  | { readonly place: "inside" /** Without links. */; readonly real: string }
  | { readonly place: "protected"; readonly real: string; readonly reason: string }
  | { readonly place: "outside"; readonly reason: string };

/**
 * Resolves a path that a tool names, component by component as the kernel does, and says where it leads. A path that
 * programs read in several ways (`~`, `@`, a URL, `..` behind a link) is `inside` only if every reading is.
 * Synchronous: a verdict takes a few `lstat` calls.
 */
export function placeOf(path: string, scope: PathScope): PathPlace {
  try {
    const root = realpathSync(scope.cwd);
    let first: PathPlace | undefined;
    for (const reading of readingsOf(path, scope.cwd)) {
      const found = placeOfReading(reading, root, scope);
      if (found.place !== "inside") return found;
      first ??= found;
    }
    return first ?? outside(`${JSON.stringify(path)} is not a plain path`);
  } catch {
    return outside(`${JSON.stringify(path)} cannot be resolved`);
  }
}

/** Returns the absolute paths that a program may mean by this one; none if it is not a plain path. */
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
  // A program may normalize `..` away before the kernel sees it, and may not.
  return [...variants].flatMap((variant) => [
    isAbsolute(variant) ? variant : `${cwd}/${variant}`,
    resolve(cwd, variant),
  ]);
}

function placeOfReading(path: string, root: string, { protectedDirs }: PathScope): PathPlace {
  const { real, names } = walk(path, root);
  const guarded = protectedDirs
    .map(realIfThere)
    .find((directory) => isWithin(real, directory) && !isWithin(root, directory));
  if (guarded !== undefined) return isProtected(real, `is in ${guarded}, which belongs to Halyard`);
  if (!isWithin(real, root)) return outside(`${real} is outside the working directory`);
  const name = names.find(isProtectedName);
  if (name !== undefined) return isProtected(real, `is protected: ${name}`);
  const repository = ancestorsOf(real, root).find(isGitDirectory);
  if (repository !== undefined) return isProtected(real, `is in the git directory ${repository}`);
  const stats = lstatIfThere(real);
  if (stats && !stats.isFile() && !stats.isDirectory())
    return isProtected(real, "is a pipe, a socket or a device");
  if (stats?.isFile() && stats.nlink > 1)
    return isProtected(real, "is a hard link: the file has another name elsewhere");
  return { place: "inside", real };
}

/** Follows links and `..` in their order. `names` are the components that were looked up inside the root. */
function walk(path: string, root: string): { real: string; names: string[] } {
  const rest = componentsOf(path);
  const names: string[] = [];
  let current = "/";
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === ".") continue;
    if (name === "..") {
      current = dirname(current);
      continue;
    }
    if (isWithin(current, root)) names.push(name);
    const next = join(current, name);
    if (!lstatIfThere(next)?.isSymbolicLink()) {
      current = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) throw new Error(`too many links in ${path}`);
    const target = readlinkSync(next);
    rest.unshift(...componentsOf(target));
    if (isAbsolute(target)) current = "/";
  }
  return { real: current, names };
}

/** Linux follows as many. */
const MOST_LINKS = 40;

function componentsOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}

/** Undefined if it does not exist yet; throws if that cannot be seen. */
function lstatIfThere(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

function realIfThere(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

/** The directories above a path, up to and including the root. */
function ancestorsOf(path: string, root: string): string[] {
  const above: string[] = [];
  for (let at = path; isWithin(at, root); at = dirname(at)) {
    if (at !== path) above.push(at);
    if (at === dirname(at)) break;
  }
  return above;
}

/** A repository without a working tree, or one that a `.git` file points to. */
function isGitDirectory(directory: string): boolean {
  if (lstatIfThere(join(directory, "HEAD")) === undefined) return false;
  return ["objects", "commondir"].some((name) => lstatIfThere(join(directory, name)) !== undefined);
}

/** Returns true if both are the same, or the path is below the directory. Neither has links in it. */
export function isWithin(path: string, directory: string): boolean {
  if (path === directory) return true;
  return path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}

function outside(reason: string): PathPlace {
  return { place: "outside", reason };
}

function isProtected(real: string, why: string): PathPlace {
  return { place: "protected", real, reason: `${real} ${why}` };
}

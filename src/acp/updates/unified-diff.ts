import { resolve } from "node:path";
import type { FileEdit } from "./agent-update.ts";

/** Parses a unified diff and returns one change per hunk. Returns an empty list if it is not a unified diff. */
export function readDiff(diff: string, cwd: string): FileEdit[] {
  return diff
    .split(/^(?=--- )/m)
    .filter((part) => part.startsWith("--- "))
    .flatMap((part) => readFile(part, cwd));
}

function readFile(part: string, cwd: string): FileEdit[] {
  const header = /^--- ([^\t\n]+).*\n\+\+\+ ([^\t\n]+).*\n/.exec(part);
  if (!header) return [];
  const [whole, old = "", now = ""] = header;
  const operation = old === NOTHING ? "add" : now === NOTHING ? "delete" : "modify";
  const path = resolve(cwd, nameOf(operation === "delete" ? old : now));
  const hunks = part.slice(whole.length).split(/^(?=@@ )/m);
  return hunks
    .filter((hunk) => hunk.startsWith("@@ "))
    .map((hunk) => ({
      path,
      operation,
      ...sidesOf(hunk),
      hunks: hunk.endsWith("\n") ? hunk : `${hunk}\n`,
    }));
}

const NOTHING = "/dev/null";

/** Removes git's path prefix. */
function nameOf(path: string): string {
  return path.replace(/^[ab]\/(?=.)/, "");
}

/** Returns the lines of a hunk before and after the change. */
function sidesOf(hunk: string): Pick<FileEdit, "before" | "after"> {
  const sides = { before: "", after: "" };
  let last: readonly ("before" | "after")[] = [];
  for (const line of hunk.split("\n").slice(1)) {
    if (line.startsWith("\\"))
      for (const side of last) sides[side] = sides[side].replace(/\n$/, "");
    last = line.startsWith("-") ? ["before"] : line.startsWith("+") ? ["after"] : BOTH;
    if (/^[-+ ]/.test(line)) for (const side of last) sides[side] += `${line.slice(1)}\n`;
  }
  return sides;
}

const BOTH = ["before", "after"] as const;

import { findNodeAtLocation, type Node } from "jsonc-parser";
import type { z } from "zod";

/** The names and list positions that lead to a value in a JSON file. */
export type KeyPath = readonly (string | number)[];

/** Returns the position of an offset as `line:column`, both one-based. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

/** Returns the position of a key's value. If the key is missing, returns the position of the nearest value around it. */
export function placeOfKey(text: string, tree: Node, path: KeyPath): string {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return placeOf(text, node.offset);
  }
  return placeOf(text, tree.offset);
}

/**
 * Returns descriptions of an issue with positions, such as `4:16: models.fast.baseUrl: expected string, received number`.
 * An issue of a union can have several descriptions, other issues have one.
 */
export function describeIssue(text: string, tree: Node, issue: z.core.$ZodIssue): string[] {
  return meant(issue).map((one) => describeOne(text, tree, one));
}

/**
 * For a union, returns the issues of the member that the value resembles most, unless two members are equally close.
 * Otherwise returns the issue itself.
 */
function meant(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const forms = issue.errors.map((issues) => ({ issues, distance: distanceOf(issues) }));
  const [closest, next] = forms.toSorted((a, b) => a.distance - b.distance);
  if (closest === undefined || closest.distance === next?.distance) return [issue];
  return closest.issues.flatMap((one) => meant({ ...one, path: [...issue.path, ...one.path] }));
}

/** Counts missing keys, unknown keys and a wrong type of the value itself. Ignores wrong values of known keys. */
function distanceOf(issues: readonly z.core.$ZodIssue[]): number {
  const distances = issues.map((issue) => {
    if (issue.code === "unrecognized_keys") return issue.keys.length;
    return issue.path.length === 0 || issue.message.endsWith(MISSING) ? 1 : 0;
  });
  return distances.reduce((sum, distance) => sum + distance, 0);
}

/** The end of zod's message for a missing key. */
const MISSING = ", received undefined";

function describeOne(text: string, tree: Node, issue: z.core.$ZodIssue): string {
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  const name = path.length > 0 ? `${path.join(".")}: ` : "";
  return `${placeOfKey(text, tree, path)}: ${name}${complaint(issue)}`;
}

/** Zod's default message for a union. */
const UNION_MESSAGE = "Invalid input";

function complaint(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_union" && issue.message === UNION_MESSAGE)
    return issue.errors.map(([first]) => first && complaint(first)).join(", or ");
  if (issue.code === "invalid_format" && issue.format === "url")
    return "expected an http or https URL";
  return issue.message
    .replace(/^(Invalid input|Invalid option|Too small|Too big|Invalid string): /, "")
    .replace(MISSING, ", but it is missing");
}

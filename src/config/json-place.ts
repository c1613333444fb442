import { findNodeAtLocation, type Node } from "jsonc-parser";
import type { z } from "zod";

export type KeyPath = readonly (string | number)[];

/** Where something is in a file, as `line:column`, both counted from one. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

/** The same for a key; one that is not there has the place of what it is missing from. */
export function placeOfKey(text: string, tree: Node, path: KeyPath): string {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return placeOf(text, node.offset);
  }
  return placeOf(text, tree.offset);
}

/** What is wrong, for the one who wrote the file: `4:16: models.fast.baseUrl: expected string, received number`. */
export function describeIssue(text: string, tree: Node, issue: z.core.$ZodIssue): string[] {
  return meant(issue).map((one) => describeOne(text, tree, one));
}

/** Of several forms that a value may have, what is wrong with the one that it comes closest to, if one is. */
function meant(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const forms = issue.errors.map((issues) => ({ issues, distance: distanceOf(issues) }));
  const [closest, next] = forms.toSorted((a, b) => a.distance - b.distance);
  if (closest === undefined || closest.distance === next?.distance) return [issue];
  return closest.issues.flatMap((one) => meant({ ...one, path: [...issue.path, ...one.path] }));
}

/** How many keys a value has too many or too few for a form; a wrong value under a right key says that it is meant. */
function distanceOf(issues: readonly z.core.$ZodIssue[]): number {
  const distances = issues.map((issue) => {
    if (issue.code === "unrecognized_keys") return issue.keys.length;
    return issue.path.length === 0 || issue.message.endsWith(MISSING) ? 1 : 0;
  });
  return distances.reduce((sum, distance) => sum + distance, 0);
}

/** How zod tells of a key that is not there. */
const MISSING = ", received undefined";

function describeOne(text: string, tree: Node, issue: z.core.$ZodIssue): string {
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  const name = path.length > 0 ? `${path.join(".")}: ` : "";
  return `${placeOfKey(text, tree, path)}: ${name}${complaint(issue)}`;
}

/** What zod says of a union where its schema has no words of its own. */
const UNSAID = "Invalid input";

function complaint(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_union" && issue.message === UNSAID)
    return issue.errors.map(([first]) => first && complaint(first)).join(", or ");
  if (issue.code === "invalid_format" && issue.format === "url")
    return "expected an http or https URL";
  return issue.message
    .replace(/^(Invalid input|Invalid option|Too small|Too big|Invalid string): /, "")
    .replace(MISSING, ", but it is missing");
}

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
export function describeIssue(text: string, tree: Node, issue: z.core.$ZodIssue): string {
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  const name = path.length > 0 ? `${path.join(".")}: ` : "";
  return `${placeOfKey(text, tree, path)}: ${name}${complaint(issue)}`;
}

function complaint(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_union")
    return issue.errors.map(([first]) => first && complaint(first)).join(", or ");
  if (issue.code === "invalid_format" && issue.format === "url")
    return "expected an http or https URL";
  return issue.message
    .replace(/^(Invalid input|Invalid option|Too small|Too big|Invalid string): /, "")
    .replace(", received undefined", ", but it is missing");
}

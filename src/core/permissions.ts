import type { RequestEvent } from "../schema/event.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { RequestDraft } from "./draft.ts";
import { editedPaths } from "./edited-paths.ts";
import { type PathScope, placeOf } from "./path-policy.ts";

/** A verdict, and why it is not the usual one for this kind of tool. */
export interface Judgement {
  readonly verdict: RequestEvent["verdict"];
  readonly reason?: string;
}

/**
 * Judges a request by the session's policy. The runtime's own tools for reading and searching are allowed under every
 * policy; a question needs a person. Paths are resolved only if the verdict depends on them.
 */
export function judge(
  policy: PermissionPolicy,
  request: Pick<RequestDraft, "kind" | "tool" | "paths">,
  scope: PathScope,
): Judgement {
  if (request.kind === "question") return { verdict: policy === "deny" ? "deny" : "ask" };
  const kind = request.tool?.kind ?? "other";
  if (kind === "read" || kind === "search") return { verdict: "allow" };
  switch (policy) {
    case "allow-all":
      return { verdict: "allow" };
    case "allow-edits":
      return kind === "edit" ? judgeEdit(request, scope) : { verdict: "ask" };
    case "ask":
      return { verdict: "ask" };
    case "deny":
      return { verdict: "deny" };
  }
}

/** Returns true if every path of an edit is a real path inside the working directory and not protected. */
export function isEditInside(
  request: Pick<RequestDraft, "tool" | "paths">,
  scope: PathScope,
): boolean {
  return judgeEdit(request, scope).verdict === "allow";
}

/** Allows an edit if every path that it names is a real path inside the working directory and not protected. */
function judgeEdit(
  { tool, paths: told = [] }: Pick<RequestDraft, "tool" | "paths">,
  scope: PathScope,
): Judgement {
  const named = editedPaths(tool?.input);
  const paths = [...told, ...(named ?? [])];
  if ((named === undefined && told.length === 0) || paths.length === 0)
    return {
      verdict: "ask",
      reason: `${tool?.name ?? "The tool"} does not say which files it edits`,
    };
  for (const path of paths) {
    const found = placeOf(path, scope);
    if (found.place !== "inside") return { verdict: "ask", reason: found.reason };
  }
  return { verdict: "allow" };
}

import type { RequestDraft } from "../contracts/event-draft.ts";
import type { RequestEvent } from "../schema/event.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import { editedPaths } from "./edited-paths.ts";
import { judgedKind } from "./judged-kind.ts";
import { locatePath, type PathScope } from "./path-policy.ts";

/** A verdict. Has a reason only if the policy `allow-edits` asks about an edit. */
export interface Judgement {
  readonly verdict: RequestEvent["verdict"];
  readonly reason?: string;
}

/**
 * Judges a request by the session's policy. Every policy allows the runtime's own tools for reading and searching. A
 * shell command that the runtime classifies as reading is judged as a command. The policy `deny` also denies questions;
 * all others ask the user. Paths are resolved only if the verdict depends on them.
 */
export function judge(
  policy: PermissionPolicy,
  request: Pick<RequestDraft, "kind" | "tool" | "paths" | "command">,
  scope: PathScope,
): Judgement {
  if (request.kind === "question") return { verdict: policy === "deny" ? "deny" : "ask" };
  const kind = judgedKind(request);
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

/**
 * True if every path of an edit is inside the working directory, after links are resolved, and not protected. False if
 * the edit names no path.
 */
export function isEditInside(
  request: Pick<RequestDraft, "tool" | "paths">,
  scope: PathScope,
): boolean {
  return judgeEdit(request, scope).verdict === "allow";
}

/** Allows an edit of unprotected files in the working directory. Otherwise asks, with the reason. */
function judgeEdit(
  { tool, paths: reported = [] }: Pick<RequestDraft, "tool" | "paths">,
  scope: PathScope,
): Judgement {
  const named = editedPaths(tool?.input);
  const paths = [...reported, ...(named ?? [])];
  if ((named === undefined && reported.length === 0) || paths.length === 0)
    return {
      verdict: "ask",
      reason: `${tool?.name ?? "The tool"} does not name the files that it edits`,
    };
  for (const path of paths) {
    const found = locatePath(path, scope);
    if (found.location !== "inside") return { verdict: "ask", reason: found.reason };
  }
  return { verdict: "allow" };
}

import type { RequestEvent } from "../schema/event.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { RequestDraft } from "./draft.ts";

type Verdict = RequestEvent["verdict"];

/** What a session's policy says of a request. Looking is allowed under every policy; questions need a person. */
export function judge(policy: PermissionPolicy, request: RequestDraft): Verdict {
  if (request.kind === "question") return policy === "deny" ? "deny" : "ask";
  const kind = request.tool?.kind ?? "other";
  if (kind === "read" || kind === "search") return "allow";
  switch (policy) {
    case "allow-all":
      return "allow";
    case "allow-edits":
      return kind === "edit" ? "allow" : "ask";
    case "ask":
      return "ask";
    case "deny":
      return "deny";
  }
}

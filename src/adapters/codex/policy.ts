import type { ConnectRequest } from "../../core/adapter.ts";

/** What Codex may do without asking, in its own words. */
export interface ThreadPolicy {
  readonly approvalPolicy: "never" | "on-request" | "untrusted";
  readonly sandbox: "danger-full-access" | "read-only";
}

/**
 * `untrusted` asks before every command and every patch, so that it is the session's policy that decides. What it
 * allows is then not held back by a sandbox. Where everything would be denied, or nothing may be changed, looking
 * around needs no permission: the sandbox lets nothing else through.
 */
export function threadPolicy({
  permissions,
  plan,
}: Pick<ConnectRequest, "permissions" | "plan">): ThreadPolicy {
  if (plan) return { approvalPolicy: "never", sandbox: "read-only" };
  switch (permissions) {
    case "allow-all":
      return { approvalPolicy: "never", sandbox: "danger-full-access" };
    case "allow-edits":
    case "ask":
      return { approvalPolicy: "untrusted", sandbox: "danger-full-access" };
    case "deny":
      return { approvalPolicy: "on-request", sandbox: "read-only" };
  }
}

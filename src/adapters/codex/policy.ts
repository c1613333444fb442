import { dirname } from "node:path";
import type { ConnectRequest } from "../../core/adapter.ts";
import { isWithin } from "../../core/path-policy.ts";

/** What Codex may do without asking, in its own words. */
export type ThreadPolicy =
  | { readonly approvalPolicy: "never" | "untrusted"; readonly sandbox: "danger-full-access" }
  | { readonly approvalPolicy: "never" | "untrusted"; readonly permissions: typeof READ_ONLY };

/** The permission profile of commands that may only look. */
export const READ_ONLY = "halyard-read-only";

type Policy = Pick<ConnectRequest, "permissions" | "plan">;

/**
 * `untrusted` asks before every command and every patch, so the session's policy decides. A command that it allows
 * runs without a sandbox. Under `deny` every command is denied. A plan has no other tool to read with than commands:
 * they run unasked in a sandbox without network in which nothing can be written and Halyard's directories are hidden.
 */
export function threadPolicy({ permissions, plan }: Policy): ThreadPolicy {
  if (permissions === "deny") return { approvalPolicy: "untrusted", permissions: READ_ONLY };
  if (plan) return { approvalPolicy: "never", permissions: READ_ONLY };
  const approvalPolicy = permissions === "allow-all" ? "never" : "untrusted";
  return { approvalPolicy, sandbox: "danger-full-access" };
}

/** Returns true if commands run in a sandbox. */
export function isSandboxed(policy: Policy): boolean {
  return !("sandbox" in threadPolicy(policy));
}

/**
 * The profile as settings. A read-only mount does not keep a process from writing to a FIFO, such as the one that is
 * Codex's standard input: the directories with FIFOs and sockets are not visible at all.
 */
export function profileSettings({
  cwd,
  runDir,
  stateDir,
  protectedDirs = [],
}: Pick<ConnectRequest, "cwd" | "runDir" | "stateDir" | "protectedDirs">): Record<string, string> {
  // Codex itself cannot work below a directory that is hidden.
  const hidden = protectedDirs.filter((directory) => !isWithin(cwd, directory));
  const runs = dirname(runDir);
  if (!hidden.some((directory) => isWithin(runs, directory))) hidden.push(runs);
  const access = [
    [":root", "read"],
    ...hidden.map((path) => [path, "none"]),
    [stateDir, "read"], // Codex's own home, from which it starts the sandbox
  ];
  return {
    default_permissions: READ_ONLY, // Codex takes no profile without a default; every thread names its own
    ...Object.fromEntries(
      access.map(([path, value]) => [
        `permissions.${READ_ONLY}.filesystem.${JSON.stringify(path)}`,
        value,
      ]),
    ),
  };
}

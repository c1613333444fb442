import { dirname } from "node:path";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { isWithin } from "../../files/is-within.ts";

/** A thread's permissions, in Codex's format. */
export type ThreadPolicy =
  | { readonly approvalPolicy: "never" | "untrusted"; readonly sandbox: "danger-full-access" }
  | { readonly approvalPolicy: "never" | "untrusted"; readonly permissions: typeof READ_ONLY };

/** The name of the permission profile for read-only commands. */
export const READ_ONLY = "halyard-read-only";

type Policy = Pick<ConnectRequest, "permissions" | "plan">;

/**
 * Returns the permissions for a policy. With `untrusted`, Codex requests permission for every command and patch, and
 * the session's policy decides each request. An allowed command runs without a sandbox. Under `deny`, every command is
 * denied, even in plan mode. Under the other policies, plan mode runs commands without a request, because commands are
 * the only way to read files. They run in a read-only sandbox that has no network and hides Halyard's directories.
 */
export function threadPolicy({ permissions, plan }: Policy): ThreadPolicy {
  if (permissions === "deny") return { approvalPolicy: "untrusted", permissions: READ_ONLY };
  if (plan) return { approvalPolicy: "never", permissions: READ_ONLY };
  const approvalPolicy = permissions === "allow-all" ? "never" : "untrusted";
  return { approvalPolicy, sandbox: "danger-full-access" };
}

/** True if commands run in a sandbox. */
export function isSandboxed(policy: Policy): boolean {
  return !("sandbox" in threadPolicy(policy));
}

/**
 * Returns the settings of the read-only profile. A read-only mount does not prevent writes to a FIFO, such as Codex's
 * stdin, so the directories with FIFOs and sockets are hidden.
 */
export function profileSettings({
  cwd,
  runDir,
  stateDir,
  protectedDirs = [],
}: Pick<ConnectRequest, "cwd" | "runDir" | "stateDir" | "protectedDirs">): Record<string, string> {
  // A directory above the working directory is not hidden, because Codex cannot work below a hidden directory.
  const hidden = protectedDirs.filter((directory) => !isWithin(cwd, directory));
  const runs = dirname(runDir);
  if (!hidden.some((directory) => isWithin(runs, directory))) hidden.push(runs);
  const access = [
    [":root", "read"],
    ...hidden.map((path) => [path, "none"]),
    [stateDir, "read"], // Codex's own home must be readable, because Codex starts the sandbox from it
  ];
  return {
    default_permissions: READ_ONLY, // required by Codex, although every thread sets its own profile
    ...Object.fromEntries(
      access.map(([path, value]) => [
        `permissions.${READ_ONLY}.filesystem.${JSON.stringify(path)}`,
        value,
      ]),
    ),
  };
}

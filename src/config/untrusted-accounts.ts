import { autoRuntimes } from "../schema/runtimes/built-in-runtimes.ts";
import type { RuntimeDecision } from "../schema/runtimes/runtime-decision.ts";
import type { Config } from "./config.ts";
import { factoryKey } from "./server.ts";

/**
 * Returns a warning if an untrusted directory contains an account that is ignored, and the runtime would use the
 * account or was chosen because the account is ignored.
 */
export function untrustedAccounts(
  { factory }: Config,
  { runtime, explicit }: Pick<RuntimeDecision, "runtime" | "explicit">,
): string[] {
  const isAffected =
    runtime === autoRuntimes.withKey || (runtime === autoRuntimes.withoutKey && !explicit);
  const hasKey = factoryKey(factory?.value) !== undefined;
  if (!isAffected || !hasKey || factory?.isTrusted !== false) return [];
  const { path, directory } = factory;
  const what = `${path} contains a key for Droid and is ignored`;
  return [
    `${what}: ${directory} is not trusted. If you know who wrote it, run "halyard trust ${directory}".`,
  ];
}

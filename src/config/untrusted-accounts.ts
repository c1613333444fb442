import type { RuntimeName } from "../schema/runtime.ts";
import type { Config } from "./config.ts";
import { factoryKey } from "./server.ts";

/** Returns a warning if an untrusted directory contains an account for the runtime, which is ignored; otherwise no warning. */
export function untrustedAccounts({ factory }: Config, runtime: RuntimeName): string[] {
  const hasKey = runtime === "droid" && factoryKey(factory?.value) !== undefined;
  if (!hasKey || factory?.isTrusted !== false) return [];
  const { path, directory } = factory;
  const what = `${path} contains a key for Droid and is ignored`;
  return [
    `${what}: ${directory} is not trusted. If you know who wrote it, run "halyard trust ${directory}".`,
  ];
}

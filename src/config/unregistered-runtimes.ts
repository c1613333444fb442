import type { RuntimeName } from "../schema/runtime.ts";
import type { Config } from "./config.ts";
import { factoryKey } from "./server.ts";

/** Returns a warning if an untrusted directory contains an account for the runtime, which is ignored. */
export function strangersIn({ models, factory }: Config, runtime: RuntimeName): string[] {
  const hasKey = runtime === "droid" && factoryKey(factory?.value) !== undefined;
  if (!hasKey || models?.isTrusted !== false) return [];
  const { directory } = models;
  const what = `${factory?.path} signs Droid in with a key of its own, and is ignored`;
  return [
    `${what}: ${directory} is not trusted. If you know who wrote it, run: halyard trust ${directory}`,
  ];
}

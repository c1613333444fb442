import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PiSdk } from "./sdk/load.ts";

/**
 * The settings that override the user's. With these settings, Pi stops retrying an unreachable model after about 3 s, and
 * its libraries do not retry.
 */
export const ownSettings = {
  retry: { enabled: true, maxRetries: 2, baseDelayMs: 1000, provider: { maxRetries: 0 } },
};

type SettingsStorage = Parameters<PiSdk["SettingsManager"]["fromStorage"]>[0];
type Scope = Parameters<SettingsStorage["withLock"]>[0];

/**
 * Combines the user's settings and, if `cwd` is given, the project's settings with Halyard's. Changes that Pi makes
 * stay in memory.
 */
export function userSettings(cwd: string | undefined, agentDir: string): SettingsStorage {
  const changed = new Map<Scope, string>();
  return {
    withLock(scope, change) {
      const next = change(changed.get(scope) ?? read(scope, cwd, agentDir));
      if (next !== undefined) changed.set(scope, next);
    },
  };
}

/** Reads one scope. Halyard's settings are in the project scope, which takes precedence over the user scope. */
function read(scope: Scope, cwd: string | undefined, agentDir: string): string | undefined {
  if (scope === "global") return readOptional(join(agentDir, "settings.json"));
  return withOwnSettings(cwd && readOptional(join(cwd, ".pi", "settings.json")));
}

/** Adds Halyard's settings to a settings text. Returns invalid text unchanged, so that Pi reports the error. */
export function withOwnSettings(text: string | undefined): string {
  try {
    return JSON.stringify({ ...JSON.parse(text ?? "{}"), ...ownSettings });
  } catch {
    return text ?? "";
  }
}

function readOptional(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

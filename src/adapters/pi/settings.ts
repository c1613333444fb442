import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PiSdk } from "./load.ts";

/**
 * Ours, whatever the user's say: a model that refuses connections is given up after about three seconds, and the
 * libraries below Pi do not try again by themselves.
 */
export const ownSettings = {
  retry: { enabled: true, maxRetries: 2, baseDelayMs: 1000, provider: { maxRetries: 0 } },
};

type SettingsStorage = Parameters<PiSdk["SettingsManager"]["fromStorage"]>[0];
type Scope = Parameters<SettingsStorage["withLock"]>[0];

/** The user's settings and those of the project, if one is given, with ours on top. What Pi changes stays in memory. */
export function userSettings(cwd: string | undefined, agentDir: string): SettingsStorage {
  const changed = new Map<Scope, string>();
  return {
    withLock(scope, change) {
      const next = change(changed.get(scope) ?? read(scope, cwd, agentDir));
      if (next !== undefined) changed.set(scope, next);
    },
  };
}

/** A project's settings go before the user's, so ours go with them. */
function read(scope: Scope, cwd: string | undefined, agentDir: string): string | undefined {
  if (scope === "global") return readIfThere(join(agentDir, "settings.json"));
  return withOwnSettings(cwd && readIfThere(join(cwd, ".pi", "settings.json")));
}

/** What cannot be read is passed on as it is, for Pi to complain of. */
export function withOwnSettings(text: string | undefined): string {
  try {
    return JSON.stringify({ ...JSON.parse(text ?? "{}"), ...ownSettings });
  } catch {
    return text ?? "";
  }
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

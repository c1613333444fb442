import { basename, dirname, join } from "node:path";
import {
  linkAgentFile,
  removeAgentFiles,
  writeAgentFile,
} from "../../../permissions/agent-writable.ts";
import type { ModelSource } from "../model.ts";

/** Returns the session's own Codex home, with its settings, session files and databases. */
export const codexHome = (stateDir: string): string => join(stateDir, "codex");

/** The variable with the key. Only its name is written to a file. */
export const KEY_VARIABLE = "HALYARD_CODEX_API_KEY";

/** Returns the id of the model provider in Codex's settings. */
export const providerId = (source: ModelSource): string =>
  source.kind === "endpoint" ? "halyard" : "openai";

/**
 * Creates a Codex home for one session, so that Codex reads and changes none of the user's files except the login. The login is
 * a link, because Codex renews it, which would invalidate a copy or the original.
 */
export async function writeHome(
  directory: string,
  { source, login, more = {} }: HomeContents,
): Promise<void> {
  const settings = Object.entries({ ...settingsFor(source), ...more });
  const lines = settings.map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  const [stateDir, name] = [dirname(directory), basename(directory)];
  writeAgentFile(stateDir, join(name, "config.toml"), lines.join(""));
  const link = join(name, "auth.json");
  if (source.kind === "login" && login !== undefined) linkAgentFile(stateDir, link, login);
  else removeAgentFiles(stateDir, link);
}

/** The contents of a Codex home. */
export interface HomeContents {
  readonly source: ModelSource;
  readonly login: string | undefined;
  /** Settings in addition to those of every session. */
  readonly more?: Readonly<Record<string, Setting>>;
}

type Setting = string | number | boolean | readonly string[];

function settingsFor(source: ModelSource): Record<string, Setting> {
  return {
    model_provider: providerId(source),
    model_reasoning_summary: "auto",
    // Allow no network requests except to the model.
    check_for_update_on_startup: false,
    "analytics.enabled": false,
    "features.plugins": false,
    "features.apps": false,
    "features.api_key_model_discovery": false,
    // Otherwise Codex waits forever for an unreachable model.
    "features.unbounded_connection_retries": false,
    "shell_environment_policy.exclude": [KEY_VARIABLE],
    ...(source.kind === "endpoint" && provider(source)),
  };
}

/** Returns the settings of our provider. It retries for about 10 s: at most three requests for each of four streams. */
function provider({ baseUrl, apiKey }: Extract<ModelSource, { kind: "endpoint" }>) {
  return {
    "model_providers.halyard.name": "Halyard",
    "model_providers.halyard.base_url": baseUrl,
    "model_providers.halyard.wire_api": "responses",
    "model_providers.halyard.request_max_retries": 2,
    "model_providers.halyard.stream_max_retries": 3,
    ...(apiKey !== undefined && { "model_providers.halyard.env_key": KEY_VARIABLE }),
  };
}

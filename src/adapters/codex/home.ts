import { basename, dirname, join } from "node:path";
import { linkAgentFile, removeAgentFiles, writeAgentFile } from "../../core/agent-writable.ts";
import type { ModelSource } from "./model.ts";

/** Where Codex keeps all it writes about a session: its settings, its record, its databases. */
export const codexHome = (stateDir: string): string => join(stateDir, "codex");

/** The variable that holds the key; its name is all that stands in a file. */
export const KEY_VARIABLE = "HALYARD_CODEX_API_KEY";

/** What Codex calls a provider of our making, and its own. */
export const providerId = (source: ModelSource): string =>
  source.kind === "endpoint" ? "halyard" : "openai";

/**
 * A home for one session alone, so that nothing of the user's is read or changed but the login: that is a link,
 * for Codex renews it now and then, and a copy would soon be worth nothing, as would the original.
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

export interface HomeContents {
  readonly source: ModelSource;
  readonly login: string | undefined;
  /** Settings beside those that every session has. */
  readonly more?: Readonly<Record<string, Setting>>;
}

type Setting = string | number | boolean | readonly string[];

function settingsFor(source: ModelSource): Record<string, Setting> {
  return {
    model_provider: providerId(source),
    model_reasoning_summary: "auto",
    // The model is all that is called over the network.
    check_for_update_on_startup: false,
    "analytics.enabled": false,
    "features.plugins": false,
    "features.apps": false,
    "features.api_key_model_discovery": false,
    // A model that is not there would be waited for without end.
    "features.unbounded_connection_retries": false,
    "shell_environment_policy.exclude": [KEY_VARIABLE],
    ...(source.kind === "endpoint" && provider(source)),
  };
}

/** Tries again for about ten seconds: at most three requests for each of four streams. */
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

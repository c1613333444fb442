import { basename, dirname, join } from "node:path";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import {
  linkAgentFile,
  removeAgentFiles,
  writeAgentFile,
} from "../../../permissions/agent-writable.ts";
import type { ModelSource } from "../model.ts";

/** Returns the path of the session's own Codex home, which contains its settings, session files and databases. */
export const codexHome = (stateDir: string): string => join(stateDir, CODEX_DIRECTORY);

/** The directory name of the session's Codex home. */
export const CODEX_DIRECTORY = "codex";

/** The environment variable that contains the model's key. Only the variable's name is written to a file. */
export const KEY_VARIABLE = "HALYARD_CODEX_API_KEY";

/** Returns the model provider's id in Codex's settings. */
export const providerId = (source: ModelSource): string =>
  source.kind === "endpoint" ? "halyard" : "openai";

/**
 * Creates a Codex home for one session, so that Codex does not read or change any of the user's files except the login.
 * The login is a link, because Codex renews it: renewing a copy would invalidate the original, or vice versa.
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

/** The content of a Codex home. */
export interface HomeContents {
  readonly source: ModelSource;
  readonly login: string | undefined;
  /** Settings in addition to the ones that every session has. */
  readonly more?: Readonly<Record<string, Setting>>;
}

type Setting = string | number | boolean | readonly string[];

function settingsFor(source: ModelSource): Record<string, Setting> {
  return {
    model_provider: providerId(source),
    model_reasoning_summary: "auto",
    // These settings prevent all network requests except those to the model.
    check_for_update_on_startup: false,
    "analytics.enabled": false,
    "features.plugins": false,
    "features.apps": false,
    "features.api_key_model_discovery": false,
    // Disabled, because Codex would otherwise wait forever for an unreachable model.
    "features.unbounded_connection_retries": false,
    "shell_environment_policy.exclude": [KEY_VARIABLE],
    ...(source.kind === "endpoint" && provider(source)),
  };
}

/**
 * Returns the settings for the provider that Halyard configures. Codex retries for about 10 s: at most three requests
 * for each of four streams.
 */
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

/**
 * Returns the settings that make Codex send its own spans and logs, without prompts, to the trace receiver, if there is
 * one.
 */
export function telemetrySettings({
  trace,
}: Pick<ConnectRequest, "trace">): Record<string, Setting> {
  const receiver = trace?.receiver;
  if (receiver === undefined) return {};
  const base = receiver.endpoint.replace(/\/+$/, "");
  const exporter = (key: string, path: string) =>
    Object.fromEntries([
      [`otel.${key}.otlp-http.endpoint`, `${base}/v1/${path}`],
      [`otel.${key}.otlp-http.protocol`, "binary"],
      ...Object.entries(receiver.headers).map(([name, value]) => [
        `otel.${key}.otlp-http.headers.${JSON.stringify(name)}`,
        value,
      ]),
    ]);
  return {
    "otel.log_user_prompt": false,
    ...exporter("trace_exporter", "traces"),
    ...exporter("exporter", "logs"),
  };
}

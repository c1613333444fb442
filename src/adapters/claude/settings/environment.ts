import { join } from "node:path";
import { sessionVariables } from "../../../compat/gas-town/files/names.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { allowedEnvironment, type Environment } from "../../../programs/environment.ts";
import { type ModelSource, modelEnvironment } from "../model.ts";
import { permissionMode } from "../policy.ts";
import type { RunFiles } from "./run-files.ts";
import { CLAUDE_MD_VARIABLE, untrustedVariables } from "./untrusted.ts";

/** The parts of Claude's environment that do not come from the request. */
export interface EnvironmentParts {
  /** Claude's session id, a UUID. */
  readonly sessionId: string;
  readonly source: ModelSource;
  readonly files: RunFiles;
  /** The environment of this process. Only a part of it is passed on. */
  readonly env: Environment;
  readonly isRoot: boolean;
}

/** Returns the environment of a session's Claude Code process: the allow-listed, requested and generated variables. */
export function claudeEnvironment(
  request: ConnectRequest,
  { sessionId, source, files, env, isRoot }: EnvironmentParts,
): Record<string, string> {
  const bypasses = permissionMode(request) === "bypassPermissions";
  return allowedEnvironment(env, {
    ...quiet,
    ...(request.trace?.receiver && ownTelemetry),
    ...(source.kind === "own" && ownVariables(env)),
    ...request.env,
    ...sessionVariables("CLAUDE_SESSION_ID", sessionId, request.env),
    ...modelEnvironment(source),
    ...(source.kind === "given" && { CLAUDE_CONFIG_DIR: configDir(request) }),
    ...untrustedVariables(request),
    ...(request.reasoning === "off" && { CLAUDE_CODE_DISABLE_THINKING: "1" }),
    // As root, Claude bypasses permissions only in a sandbox.
    ...(isRoot && bypasses && { IS_SANDBOX: "1" }),
    // In a container, the run directory is read-only, and /tmp is deleted with the container.
    CLAUDE_CODE_TMPDIR: request.host.name === "container" ? "/tmp" : files.temporary,
    CLAUDE_ENV_FILE: files.shell,
  });
}

/** Returns the environment for a Claude Code process that has no session and uses the user's own setup. */
export function ownEnvironment(
  env: Environment,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  return allowedEnvironment(env, { ...quiet, ...ownVariables(env), ...more });
}

/** Returns the session's own configuration directory, which is used if the request configures the model. */
export function configDir({ stateDir }: Pick<ConnectRequest, "stateDir">): string {
  return join(stateDir, "claude");
}

/** Returns the names of the variables to hide from the commands that Claude runs, except variables that the request sets. */
export function hiddenVariables(request: ConnectRequest, { source, env }: EnvironmentParts) {
  const own = source.kind === "own" ? Object.keys(ownVariables(env)).filter(isSecret) : [];
  const given =
    source.kind === "given" ? [...Object.keys(modelEnvironment(source)), "CLAUDE_CONFIG_DIR"] : [];
  return [...own, ...given, ...Object.keys(quiet), ...internalVariables].filter(
    (name) => /^\w+$/.test(name) && !Object.hasOwn(request.env, name),
  );
}

const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  // Claude's default of 10 retries would delay the end of a failed turn by three minutes.
  CLAUDE_CODE_MAX_RETRIES: "2",
  // Disabled, because Claude would otherwise start a turn on its own whenever a background task ends.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // Makes Claude write its session file before the first turn starts.
  CLAUDE_CODE_EAGER_FLUSH: "1",
};

/**
 * Makes Claude send its own spans, metrics and logs to the receiver in `OTEL_EXPORTER_OTLP_ENDPOINT`, without content.
 */
const ownTelemetry = {
  CLAUDE_CODE_ENABLE_TELEMETRY: "1",
  CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp",
};

const internalVariables = [
  "CLAUDE_CODE_TMPDIR",
  "CLAUDE_ENV_FILE",
  "CLAUDE_CODE_DISABLE_THINKING",
  CLAUDE_MD_VARIABLE,
  "IS_SANDBOX",
];

/** Returns the variables that belong to the user's own model setup. */
function ownVariables(env: Environment): Record<string, string> {
  const found = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isOwn(entry[0]),
  );
  return Object.fromEntries(found);
}

const ownNames: ReadonlySet<string> = new Set([
  "CLAUDE_CONFIG_DIR",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
  "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
  "CLAUDE_CODE_SKIP_VERTEX_AUTH",
  "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
  "CLAUDE_CODE_MAX_RETRIES",
  "CLOUD_ML_REGION",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "GOOGLE_CLOUD_PROJECT",
]);

const ownPrefixes = ["ANTHROPIC_", "AWS_"];

function isOwn(name: string): boolean {
  return ownNames.has(name) || ownPrefixes.some((prefix) => name.startsWith(prefix));
}

function isSecret(name: string): boolean {
  return /(KEY|TOKEN|SECRET|HEADERS|CREDENTIALS)/.test(name);
}

import { join } from "node:path";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { allowedEnvironment, type Environment } from "../../../programs/environment.ts";
import { type ModelSource, modelEnvironment } from "../model.ts";
import { permissionMode } from "../policy.ts";
import type { RunFiles } from "./run-files.ts";
import { CLAUDE_MD_VARIABLE, untrustedVariables } from "./untrusted.ts";

/** The parts of the environment that do not come from the request. */
export interface EnvironmentParts {
  /** Claude's session id, a UUID. */
  readonly sessionId: string;
  readonly source: ModelSource;
  readonly files: RunFiles;
  /** Our environment, of which only a part is passed on. */
  readonly env: Environment;
  readonly isRoot: boolean;
}

/** Returns the complete environment of a Claude Code process. */
export function claudeEnvironment(
  request: ConnectRequest,
  { sessionId, source, files, env, isRoot }: EnvironmentParts,
): Record<string, string> {
  const bypasses = permissionMode(request) === "bypassPermissions";
  return allowedEnvironment(env, {
    ...quiet,
    ...(source.kind === "own" && ownVariables(env)),
    ...request.env,
    ...(request.env.GT_SESSION_ID !== undefined && nativeNames(sessionId)),
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

/** Returns the variables that Gas Town reads in addition to its own session id. */
function nativeNames(sessionId: string): Record<string, string> {
  return { CLAUDE_SESSION_ID: sessionId, GT_SESSION_ID_ENV: "CLAUDE_SESSION_ID" };
}

/** Returns the session's own configuration directory, used if the request configures the model. */
export function configDir({ stateDir }: Pick<ConnectRequest, "stateDir">): string {
  return join(stateDir, "claude");
}

/** Returns the variables to hide from Claude's tools. Variables that the request sets explicitly are not hidden. */
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
  // Claude's default of 10 retries delays the failure of a turn by three minutes.
  CLAUDE_CODE_MAX_RETRIES: "2",
  // Otherwise Claude starts a turn by itself whenever a background task ends.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // Writes the session file before the first turn starts.
  CLAUDE_CODE_EAGER_FLUSH: "1",
};

const internalVariables = [
  "CLAUDE_CODE_TMPDIR",
  "CLAUDE_ENV_FILE",
  "CLAUDE_CODE_DISABLE_THINKING",
  CLAUDE_MD_VARIABLE,
  "IS_SANDBOX",
];

/** Returns the variables of the user's own model setup. */
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

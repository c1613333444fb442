import { join } from "node:path";
import type { ConnectRequest } from "../../core/adapter.ts";
import { allowedEnvironment, type Environment } from "../../core/environment.ts";
import { type ModelSource, modelEnvironment } from "./model.ts";
import { permissionMode } from "./policy.ts";
import type { RunFiles } from "./run-files.ts";
import { CLAUDE_MD_VARIABLE, untrustedVariables } from "./untrusted.ts";

export interface EnvironmentParts {
  /** Claude's own name for the session, as a UUID. */
  readonly sessionId: string;
  readonly source: ModelSource;
  readonly files: RunFiles;
  /** Ours, of which only a part is passed on. */
  readonly env: Environment;
  readonly isRoot: boolean;
}

/** The whole environment of a Claude Code process. */
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
    // Claude refuses to go without permissions as root unless it is told that nothing can be harmed.
    ...(isRoot && bypasses && { IS_SANDBOX: "1" }),
    // A container sees the run directory read-only, and its own /tmp goes with it.
    CLAUDE_CODE_TMPDIR: request.host.name === "container" ? "/tmp" : files.temporary,
    CLAUDE_ENV_FILE: files.shell,
  });
}

/** What Gas Town reads beside its own name of a session. */
function nativeNames(sessionId: string): Record<string, string> {
  return { CLAUDE_SESSION_ID: sessionId, GT_SESSION_ID_ENV: "CLAUDE_SESSION_ID" };
}

/** Where Claude keeps its record of a session whose model was given to us; otherwise it is the user's. */
export function configDir({ stateDir }: Pick<ConnectRequest, "stateDir">): string {
  return join(stateDir, "claude");
}

/** The variables that are Claude's own business and not its tools'; what the session was given by name is for both. */
export function hiddenVariables(request: ConnectRequest, { source, env }: EnvironmentParts) {
  const own = source.kind === "own" ? Object.keys(ownVariables(env)).filter(isSecret) : [];
  const given =
    source.kind === "given" ? [...Object.keys(modelEnvironment(source)), "CLAUDE_CONFIG_DIR"] : [];
  return [...own, ...given, ...Object.keys(quiet), ...ours].filter(
    (name) => /^\w+$/.test(name) && !Object.hasOwn(request.env, name),
  );
}

const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  // Ten would keep a turn that cannot succeed going for three minutes.
  CLAUDE_CODE_MAX_RETRIES: "2",
  // Otherwise a turn begins by itself whenever a task in the background ends.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // The record of a session is written before its first turn begins, and not a moment later.
  CLAUDE_CODE_EAGER_FLUSH: "1",
};

const ours = [
  "CLAUDE_CODE_TMPDIR",
  "CLAUDE_ENV_FILE",
  "CLAUDE_CODE_DISABLE_THINKING",
  CLAUDE_MD_VARIABLE,
  "IS_SANDBOX",
];

/** How the user told Claude Code where to find its model, for their own login. */
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

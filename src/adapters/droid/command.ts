import type { ConnectRequest } from "../../contracts/adapter.ts";
import type { Command } from "../../contracts/host.ts";
import { allowedEnvironment } from "../../programs/environment.ts";
import { droidHome, KEY_VARIABLE } from "./files/home.ts";
import type { OtherModel } from "./files/listed-models.ts";
import { runFilesIn } from "./files/run-files.ts";
import type { ModelSource } from "./model.ts";
import { skipsPermissions } from "./policy.ts";

export interface CommandParts {
  readonly file: string;
  readonly source: ModelSource;
  /** The environment of this process. Droid receives only a part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The names of the variables that the user's Droid settings reference. */
  readonly variables: readonly string[];
  /** Models that Droid lists in addition to the session's model. */
  readonly others?: readonly OtherModel[];
}

/** The address of the discard port. No service listens on it, so requests fail immediately. */
const DISCARD_URL = "http://127.0.0.1:9";

/** Builds the command and environment of one session's process. The session settings are sent later, over JSON-RPC. */
export function toCommand(request: ConnectRequest, parts: CommandParts): Command {
  const { cwd, runDir, systemPrompt } = request;
  const { shell, instructions } = runFilesIn(runDir);
  const args = ["exec", "--input-format", "stream-jsonrpc", "--output-format", "stream-jsonrpc"];
  args.push("--cwd", cwd);
  if (skipsPermissions(request)) args.push("--skip-permissions-unsafe");
  if (request.plan) args.push("--use-spec");
  // Only for an account: with -s, Droid also requests the session from Factory, and fails if Factory does not respond.
  if (request.resume !== undefined && parts.source.kind === "account")
    args.push("-s", request.resume);
  if (systemPrompt !== undefined) args.push("--append-system-prompt-file", instructions);
  const env = allowedEnvironment(parts.env, {
    ...request.env,
    ...ownVariables(request, parts),
    BASH_ENV: shell,
  });
  return { file: parts.file, args, cwd, env };
}

/**
 * Returns the names of Droid's variables that its commands must not receive. Excludes variables that the session sets,
 * except BASH_ENV, which the script in `writeRunFiles` restores.
 */
export function hiddenVariables(request: ConnectRequest, parts: CommandParts): string[] {
  const own = Object.keys(ownVariables(request, parts));
  return [...own.filter((name) => !Object.hasOwn(request.env, name)), "BASH_ENV"];
}

function ownVariables(request: ConnectRequest, parts: CommandParts): Record<string, string> {
  return {
    ...noTelemetry,
    ...sourceVariables(request, parts),
    ...Object.fromEntries(
      (parts.others ?? []).map(({ variable, endpoint }) => [variable, endpoint.apiKey]),
    ),
    FACTORY_DROID_AUTO_UPDATE_ENABLED: "false",
    FACTORY_HOME_OVERRIDE: droidHome(request.stateDir),
  };
}

/**
 * Variables that disable telemetry. Droid has three telemetry endpoints and no single option that disables all of them.
 * Without a model endpoint, the user's own FACTORY_ and OTEL_ variables take precedence.
 */
const noTelemetry = {
  FACTORY_TELEMETRY_INGEST_BASE_URL: DISCARD_URL,
  OTEL_CUSTOMER_ENDPOINT: DISCARD_URL,
  OTEL_SDK_DISABLED: "true",
};

/**
 * Returns the variables for the model. With a model endpoint and, by default, with a model from the user's settings,
 * Droid cannot reach Factory's services.
 */
function sourceVariables(
  request: ConnectRequest,
  { source, env, variables }: CommandParts,
): Record<string, string> {
  if (source.kind === "endpoint")
    return { [KEY_VARIABLE]: source.endpoint.apiKey, FACTORY_API_BASE_URL: DISCARD_URL };
  const all = { ...env, ...request.env };
  const passed = Object.entries(all).flatMap(([name, value]) =>
    value !== undefined && (/^(FACTORY|OTEL)_\w+$/.test(name) || variables.includes(name))
      ? [[name, value] as const]
      : [],
  );
  return {
    ...(source.kind === "own" && { FACTORY_API_BASE_URL: DISCARD_URL }),
    ...Object.fromEntries(passed),
    ...(source.kind === "account" && { FACTORY_API_KEY: source.key }),
  };
}

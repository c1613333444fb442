import type { ConnectRequest } from "../../core/adapter.ts";
import { allowedEnvironment } from "../../core/environment.ts";
import type { Command } from "../../core/host.ts";
import { droidHome, KEY_VARIABLE } from "./home.ts";
import type { OtherModel } from "./listed-models.ts";
import type { ModelSource } from "./model.ts";
import { skipsPermissions } from "./policy.ts";
import { runFilesIn } from "./run-files.ts";

export interface CommandParts {
  readonly file: string;
  readonly source: ModelSource;
  /** Ours, of which only a part is passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of variables that the user's settings refer to. */
  readonly variables: readonly string[];
  /** The models that Droid lists beside the session's own. */
  readonly others?: readonly OtherModel[];
}

/** The port for what is to be discarded. */
const NOWHERE = "http://127.0.0.1:9";

/** The command line of a session's own process. How the session is to be is told over JSON-RPC. */
export function toCommand(request: ConnectRequest, parts: CommandParts): Command {
  const { cwd, runDir, systemPrompt } = request;
  const { shell, instructions } = runFilesIn(runDir);
  const args = ["exec", "--input-format", "stream-jsonrpc", "--output-format", "stream-jsonrpc"];
  args.push("--cwd", cwd);
  if (skipsPermissions(request)) args.push("--skip-permissions-unsafe");
  if (request.plan) args.push("--use-spec");
  // Droid then asks Factory for the session as well, and gives up where it gets no answer.
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

/** The variables that are Droid's own business and not its commands'. */
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

/** Droid has three places to report to, and no switch for them all. */
const noTelemetry = {
  FACTORY_TELEMETRY_INGEST_BASE_URL: NOWHERE,
  OTEL_CUSTOMER_ENDPOINT: NOWHERE,
  OTEL_SDK_DISABLED: "true",
};

/** A model of somebody else's is all that is called then; Droid does without everything else of Factory's. */
function sourceVariables(
  request: ConnectRequest,
  { source, env, variables }: CommandParts,
): Record<string, string> {
  if (source.kind === "endpoint")
    return { [KEY_VARIABLE]: source.endpoint.apiKey, FACTORY_API_BASE_URL: NOWHERE };
  const all = { ...env, ...request.env };
  const passed = Object.entries(all).flatMap(([name, value]) =>
    value !== undefined && (/^(FACTORY|OTEL)_\w+$/.test(name) || variables.includes(name))
      ? [[name, value] as const]
      : [],
  );
  return {
    ...(source.kind === "own" && { FACTORY_API_BASE_URL: NOWHERE }),
    ...Object.fromEntries(passed),
    ...(source.kind === "account" && { FACTORY_API_KEY: source.key }),
  };
}

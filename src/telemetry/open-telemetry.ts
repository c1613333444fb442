import type { AgentTrace } from "../contracts/adapter.ts";
import type { Audience } from "../contracts/audience.ts";
import type { Store } from "../contracts/store.ts";
import type { Environment } from "../programs/environment.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { TelemetrySettings } from "../schema/telemetry.ts";
import { TelemetryAudience } from "./audience.ts";
import { traceparentOf } from "./span.ts";
import { type TelemetryTarget, telemetryTarget } from "./target.ts";

interface TelemetryOptions {
  readonly telemetry?: TelemetrySettings | false | undefined;
  /** Set if the user's configuration files and variables apply. */
  readonly config?: unknown;
  readonly onTelemetryProblem?: ((problem: string) => void) | undefined;
}

interface AudienceOptions {
  /** Reads the user's configuration. */
  prepare(): Promise<void>;
  readonly read: Store["read"];
}

/** The telemetry of a Halyard instance. */
export interface Telemetry {
  /**
   * Applies the user's telemetry settings. The caller passes each configuration that it reads. Has no effect if the options
   * contain settings, if an earlier configuration did, or after the receiver was determined.
   */
  configure(config: UserConfig): void;
  /**
   * Returns the audience that sends the telemetry. Returns undefined if `telemetry` is false, or if neither `telemetry` nor
   * `config` is set.
   */
  audience(options: AudienceOptions): Audience | undefined;
  /** Returns the trace for the agent of a session, or undefined if no telemetry is sent or its settings are invalid. */
  traceOf(session: SessionInfo): AgentTrace | undefined;
}

interface UserConfig {
  readonly userSettings?: {
    readonly value?: { readonly telemetry?: TelemetrySettings | undefined } | undefined;
  };
}

/** Opens the telemetry of a Halyard instance. Loads no package until spans are sent. */
export function openTelemetry(
  { telemetry, config, onTelemetryProblem = warn }: TelemetryOptions,
  env: Environment,
): Telemetry {
  const usesFiles = config !== undefined;
  const isPossible = telemetry !== false && (telemetry !== undefined || usesFiles);
  let settings = telemetry || undefined;
  let target: TelemetryTarget | undefined;
  let isRead = false;
  /** Returns the receiver of telemetry. Throws if the settings or the variables are invalid. */
  const readTarget = () => {
    if (isRead || !isPossible) return target;
    isRead = true; // read only once, because the settings of a process do not change
    target = telemetryTarget(settings, usesFiles ? env : secretsOnly(env));
    return target;
  };
  return {
    configure({ userSettings }) {
      if (!isRead) settings ??= userSettings?.value?.telemetry;
    },
    audience: ({ prepare, read }) =>
      isPossible
        ? new TelemetryAudience({
            target: async () => {
              await prepare();
              return readTarget();
            },
            read,
            onProblem: onTelemetryProblem,
          })
        : undefined,
    traceOf({ id }) {
      try {
        const found = readTarget();
        return found && agentTrace(id, found);
      } catch (error) {
        isRead = false; // the audience reads the target again and reports the error
        return void error;
      }
    },
  };
}

function agentTrace(
  id: SessionInfo["id"],
  { joinAgents, endpoint, headers }: TelemetryTarget,
): AgentTrace {
  return {
    traceparent: traceparentOf(id),
    ofTurn: (turnId) => traceparentOf(id, turnId),
    ...(joinAgents && endpoint !== undefined && { receiver: { endpoint, headers } }),
  };
}

/**
 * Removes the `OTEL_` variables, because without configuration files they belong to the calling program. Keeps other
 * variables, because headers can refer to them.
 */
function secretsOnly(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("OTEL_")));
}

function warn(problem: string): void {
  process.emitWarning(problem);
}

import type { Adapter, AgentTrace } from "../contracts/adapter.ts";
import type { SessionRequest } from "../contracts/session-request.ts";
import { untrustedGit } from "../programs/git-settings.ts";
import type { ProjectTrust } from "./project-trust.ts";

interface AgentVariablesOptions {
  readonly project: ProjectTrust;
  readonly trace: AgentTrace | undefined;
}

/**
 * Returns the variables that a session adds to its agent's environment: the trace, the variables of the request, the account
 * directory and, in an untrusted directory, the git settings that disable the repository's programs.
 */
export function agentVariables(
  { accountVariable }: Pick<Adapter, "accountVariable">,
  { env, accountDir }: Pick<SessionRequest, "env" | "accountDir">,
  { project: { trusted, gitFilters }, trace }: AgentVariablesOptions,
): Record<string, string> {
  const account = accountVariable !== undefined && accountDir !== undefined;
  return {
    ...traceVariables(trace),
    ...env,
    ...(!trusted && untrustedGit(env, gitFilters)),
    ...(account && { [accountVariable]: accountDir }),
  };
}

/**
 * Returns the environment variables with which the agent and its programs join a trace and, if the user allows it, send
 * their own telemetry.
 */
function traceVariables(trace: AgentTrace | undefined): Record<string, string> {
  if (trace === undefined) return {};
  const { traceparent, receiver } = trace;
  const pairs = Object.entries(receiver?.headers ?? {});
  const headers = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join();
  return {
    TRACEPARENT: traceparent,
    ...(receiver && {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    }),
    ...(headers !== "" && { OTEL_EXPORTER_OTLP_HEADERS: headers }),
  };
}

import { findRunning } from "../../adapter-kit/find-running.ts";
import type { Connection, ConnectRequest } from "../../contracts/adapter.ts";
import { allowedEnvironment } from "../../programs/environment.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import { type AgentPaths, toCommand } from "./agent/agent-command.ts";
import { ClientTerminals } from "./client/terminals.ts";
import { AcpConnection } from "./connection.ts";
import { readRunState } from "./run-state.ts";

/**
 * Starts the agent of a session, or attaches to the running agent if the request contains an attach point. Rejects with
 * `lost` if the agent to attach to is no longer running.
 */
export async function connectAcp(
  request: ConnectRequest,
  { runtime, ...paths }: AgentPaths & { readonly runtime: RuntimeName },
): Promise<Connection> {
  const { host, runDir, cwd, limits, attach } = request;
  const env = allowedEnvironment(paths.env, request.env);
  const terminals = new ClientTerminals({ host, runDir, cwd, env, stopMs: limits.stopMs });
  if (attach) {
    const process = await findRunning(request, runtime);
    await terminals.attach();
    return new AcpConnection({
      runtime,
      process,
      request,
      terminals,
      known: await readRunState(runDir),
    });
  }
  const command = await toCommand(request, paths);
  const process = await host.spawn(command, { runDir });
  return new AcpConnection({ runtime, process, request, terminals, known: {} });
}

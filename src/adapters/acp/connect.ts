import type { Connection, ConnectRequest } from "../../core/adapter.ts";
import { allowedEnvironment } from "../../core/environment.ts";
import { findRunning } from "../../core/find-running.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import { type AgentPlaces, toCommand } from "./agent-command.ts";
import { ClientTerminals } from "./client-terminals.ts";
import { AcpConnection } from "./connection.ts";
import { readRunState } from "./run-state.ts";

/** Starts the agent for the session, or takes hold of the one that runs. */
export async function connectAcp(
  request: ConnectRequest,
  { runtime, ...places }: AgentPlaces & { readonly runtime: RuntimeName },
): Promise<Connection> {
  const { host, runDir, cwd, limits, attach } = request;
  const env = allowedEnvironment(places.env, request.env);
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
  const command = await toCommand(request, places);
  const process = await host.spawn(command, { runDir });
  return new AcpConnection({ runtime, process, request, terminals, known: {} });
}

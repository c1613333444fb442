import { withScreens } from "../../adapter-kit/screens.ts";
import type { Connection, ConnectRequest } from "../../contracts/adapter.ts";
import { HalyardError } from "../../errors/error.ts";
import { allowedEnvironment } from "../../programs/environment.ts";
import { findProgram } from "../../programs/program.ts";
import { TerminalConnection } from "./connection.ts";
import { search, type TerminalRuntime } from "./runtime.ts";
import { readSentTurn } from "./sent-turn.ts";

/**
 * Starts the program on its own screen, or attaches to the running program. Throws `unsupported` for a resume and for
 * every policy except `allow-all`, and `lost` if the program to attach to has exited.
 */
export async function connectTerminal(
  request: ConnectRequest,
  runtime: TerminalRuntime,
): Promise<Connection> {
  const { runDir, cwd, permissions } = request;
  const { name, args, env } = runtime;
  const host = withScreens(request.host);
  if (permissions !== "allow-all")
    throw new HalyardError(
      "unsupported",
      `${name} requests permission on its screen, where Halyard cannot answer. Start the session with --permissions allow-all, and run "halyard attach SESSION" to watch it.`,
    );
  if (request.attach !== undefined) {
    const terminal = await host.attachTerminal(runDir);
    if (terminal === undefined || (await terminal.health()) !== "alive")
      throw new HalyardError(
        "lost",
        `${name} is no longer running, and its session cannot be resumed. Start a new session.`,
      );
    const sent = await readSentTurn(runDir);
    const underWay = sent?.turnId === request.attach.turnId ? sent : undefined;
    return new TerminalConnection(terminal, runtime, { ...request, isReady: true, underWay });
  }
  if (request.resume !== undefined)
    throw new HalyardError(
      "unsupported",
      `${name} has no record of its conversation, so the session cannot be resumed. Start a new session.`,
    );
  const { file } = await findProgram(search(runtime));
  const variables = { LANG: "C.UTF-8", ...request.env };
  const command = { file, args, cwd, env: allowedEnvironment(env, variables) };
  const terminal = await host.openTerminal(command, { runDir, watchesPastes: true });
  return new TerminalConnection(terminal, runtime, request);
}

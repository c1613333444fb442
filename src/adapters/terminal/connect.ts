import type { Connection, ConnectRequest } from "../../core/adapter.ts";
import { allowedEnvironment } from "../../core/environment.ts";
import { HalyardError } from "../../core/error.ts";
import { findProgram } from "../../core/program.ts";
import { withScreens } from "../../core/screens.ts";
import { TerminalConnection } from "./connection.ts";
import { search, type TerminalRuntime } from "./runtime.ts";

/** Starts the program on a screen of its own. */
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
      `what ${name} asks it asks on its screen, where only a person can answer: start it with the permissions allow-all, and look in with \`halyard attach\``,
    );
  if (request.resume !== undefined || request.attach !== undefined)
    throw new HalyardError("unsupported", `nobody can tell what ${name} was at before`);
  const { file } = await findProgram(search(runtime));
  const variables = { LANG: "C.UTF-8", ...request.env };
  const command = { file, args, cwd, env: allowedEnvironment(env, variables) };
  const terminal = await host.openTerminal(command, { runDir, watchesPastes: true });
  return new TerminalConnection(terminal, runtime, request.limits);
}

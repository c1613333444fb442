import { mkdir } from "node:fs/promises";
import type { Connection, ConnectRequest } from "../../core/adapter.ts";
import { findRunning } from "../../core/find-running.ts";
import type { Command } from "../../core/host.ts";
import { findProgram, type ProgramPlaces } from "../../core/program.ts";
import type { InputWay } from "../../schema/runtime.ts";
import { temporaryDir, toCommand } from "./command.ts";
import type { CodexConnectionOptions } from "./connection.ts";
import { EmptyDatabases } from "./empty-databases.ts";
import { codexSearch } from "./find.ts";
import { codexHome, type HomeContents, providerId, writeHome } from "./home.ts";
import { hasLine, startLine } from "./line.ts";
import { findLogin, modelSource } from "./model.ts";
import { profileSettings } from "./policy.ts";
import { projectTrust } from "./project-trust.ts";
import { readOptions } from "./thread.ts";

/**
 * Starts an app server for the session, or attaches to the one that runs. It reads requests from its standard input, or
 * from a WebSocket if messages are to go by `rpc`.
 */
export async function connectCodex(
  request: ConnectRequest,
  places: ProgramPlaces,
): Promise<Connection> {
  const { attach, host, runDir } = request;
  if (attach) {
    const process = await findRunning(request, "Codex");
    const { CodexConnection } = await import("./connection.ts");
    return new CodexConnection(process, request, { input: await inputOf(request) });
  }
  const { command, ...options } = await prepareCodex(request, places);
  const { input = "stdin" } = request;
  const process =
    input === "rpc"
      ? (await startLine(request, command)).process
      : await host.spawn(command, { runDir });
  const { CodexConnection } = await import("./connection.ts"); // while Codex starts
  return new CodexConnection(process, request, { ...options, input });
}

async function inputOf(request: ConnectRequest): Promise<InputWay> {
  return (await hasLine(request)) ? "rpc" : "stdin";
}

interface PreparedCodex extends Pick<CodexConnectionOptions, "onIntroduced" | "onEnded"> {
  readonly command: Command;
  readonly provider: string;
}

/** Writes what an app server of the session's own needs, and says how to start it. */
export async function prepareCodex(
  request: ConnectRequest,
  { env, runtimesDir, bin }: ProgramPlaces,
  more: HomeContents["more"] = {},
): Promise<PreparedCodex> {
  const all = { ...env, ...request.env };
  const login = await findLogin(all);
  const source = modelSource(request.model, all, { hasLogin: login !== undefined });
  const options = readOptions(request);
  const search = codexSearch({ bin: options.bin ?? bin, env: all, runtimesDir });
  const { file, version } = await findProgram(search);
  await mkdir(temporaryDir(request), { recursive: true, mode: 0o700 });
  const home = codexHome(request.stateDir);
  const ours = { ...profileSettings(request), ...projectTrust(request) };
  await writeHome(home, { source, login, more: { ...ours, ...more } });
  const prepared = {
    command: toCommand(request, { file, source, env }),
    provider: providerId(source),
  };
  if (request.resume !== undefined || version === undefined) return prepared;
  const databases = new EmptyDatabases(runtimesDir, version);
  const isGiven = await databases.copyTo(home);
  const unkept = () => {}; // the next one waits, as this one did
  return {
    ...prepared,
    ...(!isGiven && { onIntroduced: () => databases.takeFrom(home).catch(unkept) }),
    onEnded: () => databases.takeLater(home).catch(unkept),
  };
}

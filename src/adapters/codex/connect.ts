import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findRunning } from "../../adapter-kit/find-running.ts";
import { readUserRecord, requireUserRecord } from "../../adapter-kit/records/user-records.ts";
import type { Connection, ConnectRequest } from "../../contracts/adapter.ts";
import type { ForkSource } from "../../contracts/fork-source.ts";
import type { Command } from "../../contracts/host.ts";
import { writeAgentFile } from "../../permissions/agent-writable.ts";
import { copyAgentFiles } from "../../permissions/copy-agent-files.ts";
import type { Environment } from "../../programs/environment.ts";
import { findProgram, type ProgramPaths } from "../../programs/program.ts";
import type { InputWay } from "../../schema/runtime.ts";
import { temporaryDir, toCommand } from "./command.ts";
import type { CodexConnectionOptions } from "./connection.ts";
import { codexSearch } from "./find.ts";
import { EmptyDatabases } from "./home/empty-databases.ts";
import {
  CODEX_DIRECTORY,
  codexHome,
  type HomeContents,
  providerId,
  telemetrySettings,
  writeHome,
} from "./home/home.ts";
import { findLogin, modelSource } from "./model.ts";
import { codexRecords, pathInSessions } from "./native-sessions.ts";
import { profileSettings } from "./policy.ts";
import { projectTrust } from "./project-trust.ts";
import { hasProxy, startProxy } from "./proxy.ts";
import { readOptions } from "./thread.ts";

/**
 * Starts an app server for the session, or attaches to the running server if the request contains an attach point. The
 * server reads requests from stdin, or from a WebSocket if the input is `rpc`.
 */
export async function connectCodex(
  request: ConnectRequest,
  paths: ProgramPaths,
): Promise<Connection> {
  const { attach, host, runDir } = request;
  if (attach) {
    const process = await findRunning(request, "Codex");
    const { CodexConnection } = await import("./connection.ts");
    return new CodexConnection(process, request, { input: await inputOf(request) });
  }
  const { command, ...options } = await prepareCodex(request, paths);
  const { input = "stdin" } = request;
  const process =
    input === "rpc"
      ? (await startProxy(request, command)).process
      : await host.spawn(command, { runDir });
  const { CodexConnection } = await import("./connection.ts"); // loaded while Codex starts, to save time
  return new CodexConnection(process, request, { ...options, input });
}

async function inputOf(request: ConnectRequest): Promise<InputWay> {
  return (await hasProxy(request)) ? "rpc" : "stdin";
}

interface PreparedCodex extends Pick<CodexConnectionOptions, "onInitialized" | "onEnded"> {
  readonly command: Command;
  readonly provider: string;
}

/** Writes the files that the session's app server needs, and returns the command that starts the server. */
export async function prepareCodex(
  request: ConnectRequest,
  { env, runtimesDir, bin }: ProgramPaths,
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
  const settings = { ...profileSettings(request), ...projectTrust(request) };
  await writeHome(home, {
    source,
    login,
    more: { ...settings, ...telemetrySettings(request), ...more },
  });
  if (request.fork) await copyRecord(request.fork, request.stateDir, all);
  const prepared = {
    command: toCommand(request, { file, source, env }),
    provider: providerId(source),
  };
  const isNew = request.resume === undefined && request.fork === undefined;
  if (!isNew || version === undefined) return prepared;
  const databases = new EmptyDatabases(runtimesDir, version);
  const isRestored = await databases.copyTo(home);
  const ignoreError = () => {}; // ignored, because the next session tries again
  return {
    ...prepared,
    ...(!isRestored && { onInitialized: () => databases.saveFrom(home).catch(ignoreError) }),
    onEnded: () => databases.saveNewFrom(home).catch(ignoreError),
  };
}

/** Copies the rollout (Codex's record) of a forked thread into the session's own home, where `thread/fork` finds it. */
async function copyRecord(
  { stateDir: original, runtimeSessionId: id }: ForkSource,
  stateDir: string,
  env: Environment,
): Promise<void> {
  const directory = join(CODEX_DIRECTORY, "sessions");
  if (original !== undefined) {
    copyAgentFiles(original, stateDir, directory, (path) => path.endsWith(`-${id}.jsonl`));
    return;
  }
  const record = await requireUserRecord(codexRecords(env), id, "Codex");
  writeAgentFile(stateDir, join(directory, pathInSessions(record.path)), readUserRecord(record));
}

import { mkdir } from "node:fs/promises";
import type { Connection, ConnectRequest } from "../../core/adapter.ts";
import { findRunning } from "../../core/find-running.ts";
import type { Command } from "../../core/host.ts";
import { findProgram, type ProgramPlaces } from "../../core/program.ts";
import { temporaryDir, toCommand } from "./command.ts";
import type { CodexConnectionOptions } from "./connection.ts";
import { EmptyDatabases } from "./empty-databases.ts";
import { codexSearch } from "./find.ts";
import { codexHome, type HomeContents, providerId, writeHome } from "./home.ts";
import { findLogin, modelSource } from "./model.ts";
import { profileSettings } from "./policy.ts";
import { projectTrust } from "./project-trust.ts";
import { readOptions } from "./thread.ts";

/** Starts an app server for the session, or takes hold of the one that runs. */
export async function connectCodex(
  request: ConnectRequest,
  places: ProgramPlaces,
): Promise<Connection> {
  const { attach, host, runDir } = request;
  const prepared = attach ? undefined : await prepareCodex(request, places);
  const process = prepared
    ? await host.spawn(prepared.command, { runDir })
    : await findRunning(request, "Codex");
  const { CodexConnection } = await import("./connection.ts"); // while Codex starts
  return new CodexConnection(process, request, prepared);
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

import { basename, join, relative } from "node:path";
import { findRunning } from "../../adapter-kit/find-running.ts";
import { withoutInherited } from "../../adapter-kit/mcp-servers.ts";
import type { Connection, ConnectRequest } from "../../contracts/adapter.ts";
import type { HostProcess } from "../../contracts/host.ts";
import { isSecretName } from "../../log/redaction/secret-names.ts";
import { copyAgentFiles } from "../../permissions/copy-agent-files.ts";
import { findProgram, type ProgramPaths } from "../../programs/program.ts";
import { hiddenVariables, toCommand } from "./command.ts";
import { DroidConnection } from "./connection.ts";
import { droidHome, requireRecord, writeHome } from "./files/home.ts";
import { otherModels, selectedFields } from "./files/listed-models.ts";
import { writeMcpServers } from "./files/mcp-servers.ts";
import { copyUserSession } from "./files/native-sessions.ts";
import { runFilesIn, writeRunFiles } from "./files/run-files.ts";
import { readUserSettings, userFactoryDir } from "./files/user-files.ts";
import { droidSearch } from "./find.ts";
import { effortOf, type ModelSource, modelSource } from "./model.ts";
import { readOptions } from "./options.ts";

/** Starts Droid for the session, or attaches to the running process, and returns the connection. */
export async function connectDroid(
  request: ConnectRequest,
  paths: ProgramPaths,
): Promise<Connection> {
  if (request.attach) return new DroidConnection(await findRunning(request, "Droid"), request);
  const { process, source } = await start(request, paths);
  return new DroidConnection(process, request, source);
}

async function start(
  request: ConnectRequest,
  { env, runtimesDir, bin: usual }: ProgramPaths,
): Promise<{ process: HostProcess; source: ModelSource }> {
  const { host, runDir, stateDir, systemPrompt, resume } = request;
  const all = { ...env, ...request.env };
  const { bin = usual, factoryApiKey, mcpServers, models } = readOptions(request);
  const directory = userFactoryDir(all);
  const user = await readUserSettings(directory);
  const source = modelSource(request.model, {
    factoryApiKey,
    env: all,
    hasOwnModels: user.hasModels,
  });
  const { file } = await findProgram(droidSearch({ bin, env: all, runtimesDir }));
  const home = droidHome(stateDir);
  if (resume !== undefined && !host.hasOwnFiles) await requireRecord(home, resume);
  if (request.fork) {
    const { runtimeSessionId, stateDir: original } = request.fork;
    const sessions = join(relative(stateDir, home), ".factory", "sessions");
    const isRecord = (path: string) => basename(path).startsWith(runtimeSessionId);
    if (original === undefined) await copyUserSession(request, runtimeSessionId, all);
    else copyAgentFiles(original, stateDir, sessions, isRecord);
  }
  const effort = effortOf(source, request.reasoning);
  const others = otherModels(models, source, host);
  const entries = others.map(({ entry }) => entry);
  const listed = selectedFields(models, source);
  const content = { source, effort, user: { ...user, directory }, listed };
  await writeHome(home, { ...content, others: entries });
  const parts = { file, source, env, variables: user.variables, others };
  const hidden = hiddenVariables(request, parts);
  const files = runFilesIn(runDir);
  await writeMcpServers(withoutInherited(mcpServers, hidden.filter(isSecretName)), {
    file: files.mcp,
    home,
    userFile: source.kind === "endpoint" ? undefined : join(directory, "mcp.json"),
  });
  await writeRunFiles(files, {
    hidden,
    bashEnv: request.env.BASH_ENV,
    systemPrompt,
  });
  return { process: await host.spawn(toCommand(request, parts), { runDir }), source };
}

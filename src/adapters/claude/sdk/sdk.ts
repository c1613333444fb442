import { randomUUID } from "node:crypto";
import { createDeferred } from "../../../async/deferred.ts";
import type { Adapter, Connection, ConnectRequest } from "../../../contracts/adapter.ts";
import type { HostProcess } from "../../../contracts/host.ts";
import { ccsdkPackage } from "../../versions.ts";
import { disabledTools } from "../command.ts";
import { attachClaude } from "../connect.ts";
import { ClaudeConnection } from "../connection.ts";
import { sdkPrograms } from "../find.ts";
import { ACCOUNT_VARIABLE, type ClaudeAdapterOptions, capabilities } from "../index.ts";
import { effortLevels, modelSource } from "../model.ts";
import { permissionMode, withCommandPermission } from "../policy.ts";
import { claudeProjectSettings } from "../project-settings.ts";
import { copyConversation } from "../settings/copy-conversation.ts";
import { claudeEnvironment, hiddenVariables } from "../settings/environment.ts";
import { type RunFiles, runFilesIn, writeRunFiles } from "../settings/run-files.ts";
import { sessionSettings } from "../settings/settings.ts";
import { isSignedIn } from "../settings/sign-in.ts";
import { untrustedOptions } from "../settings/untrusted.ts";
import { claudeTools } from "../tool-names.ts";
import type { SdkSpawn } from "./api.ts";
import { SdkDriver } from "./driver.ts";
import { findSdkProgram, loadSdk, probeSdk } from "./load.ts";
import { type SessionSdkOptions, sdkOptions, sdkSystemPrompt } from "./options.ts";
import { createSdkProcess, type SdkProcess } from "./process.ts";

/**
 * Creates the adapter for the Claude Agent SDK, which contains and runs Claude Code. The adapter loads the SDK when the
 * first session starts.
 */
export function ccsdkAdapter({ runtimesDir, env, bin }: ClaudeAdapterOptions): Adapter {
  return {
    name: "ccsdk",
    displayName: "Claude Agent SDK",
    capabilities,
    inputs: ["stdin"], // written by the SDK, or by the connection after an attach
    inputAliases: { rpc: "stdin" }, // the SDK offers remote calls and writes them to standard input
    accountVariable: ACCOUNT_VARIABLE,
    testedWith: ccsdkPackage.version,
    programsFor: sdkPrograms,
    projectSettings: claudeProjectSettings,
    builtInTools: claudeTools,
    probe: () => probeSdk(runtimesDir),
    signIn: 'set ANTHROPIC_API_KEY, or run "claude" and type /login',
    isSignedIn: () => isSignedIn(env),
    checkOptions: (options) => void sdkOptions({ options }),
    async models(host) {
      const { listModels } = await import("../models.ts");
      return listModels(host, env, async () => bin ?? (await findSdkProgram(runtimesDir)));
    },
    async nativeSessions(request) {
      const { listUserRecords } = await import("../../../adapter-kit/records/user-records.ts");
      const { claudeRecords } = await import("../settings/native-sessions.ts");
      return listUserRecords(claudeRecords({ ...env, ...request.env }), request);
    },
    async createMapper() {
      const { createMapper } = await import("../events/events.ts");
      return createMapper();
    },
    connect: (request) => connectSdk(request, { runtimesDir, env, bin }),
  };
}

async function connectSdk(
  request: ConnectRequest,
  { runtimesDir, env, bin }: ClaudeAdapterOptions,
): Promise<Connection> {
  if (request.attach !== undefined) return attachClaude("ccsdk", request);
  const source = modelSource(request.model);
  const given = sdkOptions(request);
  const sdk = await loadSdk(runtimesDir);
  const files = runFilesIn(request.runDir);
  const sessionId = request.resume ?? randomUUID();
  const parts = { sessionId, source, files, env, isRoot: process.getuid?.() === 0 };
  await writeRunFiles(files, {
    settings: withCommandPermission(sessionSettings(source, given.claude, files), request),
    hidden: hiddenVariables(request, parts),
    mcpServers: given.claude.mcpServers,
    otherServers: given.otherServers,
  });
  await copyConversation(request, source, env);
  const spawner = createSpawner(request);
  const options = {
    ...optionsFor(request, given, {
      sessionId,
      files,
      model: source.id,
      bin: given.claude.bin ?? bin,
    }),
    env: claudeEnvironment(request, parts),
    settings: files.settings,
    mcpServers: given.liveServers,
    spawnClaudeCodeProcess: spawner.spawn,
    onClose: spawner.release,
  };
  const driver = new SdkDriver(sdk, Object.assign({}, given.sdk, options));
  const running = await Promise.race([
    spawner.process,
    driver.initialize().then(() => spawner.process), // rejects if the SDK fails before it starts a process
  ]);
  const createDriver = () => driver;
  return new ClaudeConnection(request, {
    runtime: "ccsdk",
    process: running,
    sessionId,
    createDriver,
  });
}

function optionsFor(
  request: ConnectRequest,
  { claude, otherServers, sdk, disallowedTools, extraArgs }: SessionSdkOptions,
  {
    sessionId,
    files,
    model,
    bin,
  }: { sessionId: string; files: RunFiles; model: string | undefined; bin: string | undefined },
) {
  const { cwd, resume, fork, reasoning, tools } = request;
  const effort = reasoning && effortLevels[reasoning];
  const hasServers = Object.keys({ ...otherServers, ...claude.mcpServers }).length > 0;
  return {
    cwd,
    includePartialMessages: true,
    ...untrustedOptions(request),
    // The mode is an argument, because the SDK's permissionMode option prints a warning that Claude never asks the user.
    extraArgs: {
      ...extraArgs,
      "permission-mode": permissionMode(request),
      // The SDK's own option would put the servers, with their keys, on the command line.
      ...(hasServers && { "mcp-config": files.mcp }),
    },
    systemPrompt: sdkSystemPrompt(sdk.systemPrompt, request.systemPrompt),
    disallowedTools: [...disallowedTools, ...disabledTools(request)],
    ...(tools?.enabled && { tools: tools.enabled }),
    ...(resume === undefined ? { sessionId } : { resume }),
    ...(fork && { resume: fork.runtimeSessionId, forkSession: true }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(bin !== undefined && { pathToClaudeCodeExecutable: bin }),
  } as const;
}

/** Creates the spawner, which starts the program on the session's host when the SDK calls `spawn`. */
function createSpawner({ host, cwd, runDir }: ConnectRequest) {
  const started = createDeferred<HostProcess | Promise<HostProcess>>();
  let sdkProcess: SdkProcess | undefined;
  return {
    process: started.promise.then((process) => process),
    spawn({ command: file, args, env }: SdkSpawn): SdkProcess {
      const starting = host.spawn({ file, args, cwd, env: defined(env) }, { runDir });
      started.resolve(starting);
      sdkProcess = createSdkProcess(starting);
      return sdkProcess;
    },
    release: () => sdkProcess?.release(),
  };
}

function defined(env: SdkSpawn["env"]): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

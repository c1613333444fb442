import { randomUUID } from "node:crypto";
import type { Adapter, Connection, ConnectRequest } from "../../core/adapter.ts";
import { createDeferred } from "../../core/deferred.ts";
import type { HostProcess } from "../../core/host.ts";
import { ccsdkPackage } from "../versions.ts";
import { disabledTools } from "./command.ts";
import { attachClaude } from "./connect.ts";
import { ClaudeConnection } from "./connection.ts";
import { claudeEnvironment, hiddenVariables } from "./environment.ts";
import { sdkPrograms } from "./find.ts";
import { ACCOUNT_VARIABLE, type ClaudeAdapterOptions, capabilities } from "./index.ts";
import { effortLevels, modelSource } from "./model.ts";
import { permissionMode, withAskedCommands } from "./policy.ts";
import { claudeProjectSettings } from "./project-settings.ts";
import { type RunFiles, runFilesIn, writeRunFiles } from "./run-files.ts";
import type { SdkSpawn } from "./sdk-api.ts";
import { SdkDriver } from "./sdk-driver.ts";
import { loadSdk, probeSdk } from "./sdk-load.ts";
import { type SessionSdkOptions, sdkOptions, sdkSystemPrompt } from "./sdk-options.ts";
import { type LentProcess, lendProcess } from "./sdk-process.ts";
import { sessionSettings } from "./settings.ts";
import { isSignedIn } from "./sign-in.ts";
import { untrustedOptions } from "./untrusted.ts";

/** Claude Code through the Claude Agent SDK, which brings the program along. Loaded only when it is used. */
export function ccsdkAdapter({ runtimesDir, env, bin }: ClaudeAdapterOptions): Adapter {
  return {
    name: "ccsdk",
    displayName: "Claude Agent SDK",
    capabilities,
    accountVariable: ACCOUNT_VARIABLE,
    testedWith: ccsdkPackage.version,
    programsFor: sdkPrograms,
    projectSettings: claudeProjectSettings,
    probe: () => probeSdk(runtimesDir),
    signIn: "set ANTHROPIC_API_KEY, or run `claude` and type /login",
    isSignedIn: () => isSignedIn(env),
    checkOptions: (options) => void sdkOptions({ options }),
    async createMapper() {
      const { createMapper } = await import("./events.ts");
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
    settings: withAskedCommands(sessionSettings(source, given.claude, files), request),
    hidden: hiddenVariables(request, parts),
    mcpServers: given.claude.mcpServers,
    otherServers: given.otherServers,
  });
  const loan = lendOnce(request);
  const ours = {
    ...optionsFor(request, given, {
      sessionId,
      files,
      model: source.id,
      bin: given.claude.bin ?? bin,
    }),
    env: claudeEnvironment(request, parts),
    settings: files.settings,
    mcpServers: given.liveServers,
    spawnClaudeCodeProcess: loan.spawn,
    onClose: loan.takeBack,
  };
  const driver = new SdkDriver(sdk, Object.assign({}, given.sdk, ours));
  const running = await Promise.race([
    loan.process,
    driver.initialize().then(() => loan.process), // for an SDK that fails before it starts anything
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
  const { cwd, resume, reasoning, tools } = request;
  const effort = reasoning && effortLevels[reasoning];
  const hasServers = Object.keys({ ...otherServers, ...claude.mcpServers }).length > 0;
  return {
    cwd,
    includePartialMessages: true,
    ...untrustedOptions(request),
    // Told by name, the SDK would warn on the terminal that nobody will be asked, and questions still are.
    extraArgs: {
      ...extraArgs,
      "permission-mode": permissionMode(request),
      // Given to the SDK, they would be in the command line, which is for everybody to read.
      ...(hasServers && { "mcp-config": files.mcp }),
    },
    systemPrompt: sdkSystemPrompt(sdk.systemPrompt, request.systemPrompt),
    disallowedTools: [...disallowedTools, ...disabledTools(request)],
    ...(tools?.enabled && { tools: tools.enabled }),
    ...(resume === undefined ? { sessionId } : { resume }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(bin !== undefined && { pathToClaudeCodeExecutable: bin }),
  } as const;
}

/** Starts the program on the session's host when the SDK asks for it. */
function lendOnce({ host, cwd, runDir }: ConnectRequest) {
  const started = createDeferred<HostProcess | Promise<HostProcess>>();
  let lent: LentProcess | undefined;
  return {
    process: started.promise.then((process) => process),
    spawn({ command: file, args, env }: SdkSpawn): LentProcess {
      const starting = host.spawn({ file, args, cwd, env: defined(env) }, { runDir });
      started.resolve(starting);
      lent = lendProcess(starting);
      return lent;
    },
    takeBack: () => lent?.takeBack(),
  };
}

function defined(env: SdkSpawn["env"]): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

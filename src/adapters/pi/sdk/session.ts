import { join } from "node:path";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { HalyardError } from "../../../errors/error.ts";
import { parseInput } from "../../../errors/parse-input.ts";
import { allowedEnvironment, type Environment } from "../../../programs/environment.ts";
import { PiOptions } from "../../../schema/runtimes/runtime-options.ts";
import { userAgentDir } from "../agent-dir.ts";
import { modelSource, notSignedIn, thinkingLevels } from "../model/model.ts";
import type { PermissionGate } from "../permission-gate.ts";
import { enabledTools } from "../policy.ts";
import { forkFileFor, sessionFileFor, sessionsDir } from "../session-file.ts";
import { ownSettings, userSettings } from "../settings.ts";
import { sdkExtension } from "./extension.ts";
import type { PiSdk } from "./load.ts";
import { type SdkModel, sdkModel } from "./model.ts";
import { SdkRules } from "./rules.ts";
import type { StrayProcesses } from "./stray-processes.ts";

/** A session in Pi's SDK. */
export type PiSession = Awaited<ReturnType<PiSdk["createAgentSession"]>>["session"];

/** An open session with its rules and models. */
export interface SdkSession {
  readonly session: PiSession;
  readonly rules: SdkRules;
  /** Returns another model by its id. */
  readonly find: SdkModel["find"];
}

/**
 * Opens a Pi session in this process. The session stores its session file in `stateDir`, and changes none of the user's
 * files except that Pi renews an expired login.
 */
export async function openSdkSession(
  sdk: PiSdk,
  request: ConnectRequest,
  options: {
    env: Readonly<Record<string, string | undefined>>;
    gate: PermissionGate;
    strayProcesses: StrayProcesses;
  },
): Promise<SdkSession> {
  const { cwd, runDir, reasoning, trusted = false } = request;
  const env = { ...options.env, ...request.env };
  const source = modelSource(request.model, env);
  const isOwn = source.kind === "own";
  const agentDir = isOwn ? userAgentDir(env) : join(runDir, "pi");
  const { provider } = parseInput(PiOptions, request.options);
  const { registry, model, find } = sdkModel(sdk, source, { agentDir, reasoning, provider, env });
  const settings = isOwn
    ? sdk.SettingsManager.fromStorage(userSettings(trusted ? cwd : undefined, agentDir))
    : sdk.SettingsManager.inMemory(ownSettings);
  const toolEnv = allowedEnvironment(options.env, request.env);
  const rules = await SdkRules.create(request, { PATH: toolEnv.PATH, agentDir });
  const resources = new sdk.DefaultResourceLoader({
    ...(trusted ? { cwd } : withoutProject(sdk, request, agentDir)),
    agentDir,
    settingsManager: settings,
    noExtensions: !isOwn,
    noSkills: !isOwn,
    noPromptTemplates: !isOwn,
    noThemes: true,
    extensionFactories: [sdkExtension(options.gate, () => rules.now)],
  });
  await resources.reload();
  const enabled = enabledTools(request);
  const { session } = await sdk.createAgentSession({
    cwd,
    agentDir,
    authStorage: registry.authStorage,
    modelRegistry: registry,
    settingsManager: settings,
    resourceLoader: resources,
    sessionManager: await sessionManager(sdk, request, options.env),
    customTools: [bashTool(sdk, cwd, settings, () => options.strayProcesses.mark(toolEnv))],
    ...(model && { model }),
    ...(reasoning && { thinkingLevel: thinkingLevels[reasoning] }),
    ...(enabled && { tools: enabled }),
  });
  rules.begin(session);
  if (session.model === undefined || !registry.hasConfiguredAuth(session.model))
    throw notSignedIn();
  if (request.resume !== undefined && session.sessionId !== request.resume)
    throw new HalyardError(
      "runtime_session_not_found",
      `Pi resumed session ${session.sessionId} instead of session ${request.resume}. Start a new session.`,
    );
  return { session, rules, find };
}

/**
 * Makes Pi search for `.pi` in the run directory, which contains none. Pi still reads the project's instruction files.
 */
function withoutProject(sdk: PiSdk, { cwd, runDir }: ConnectRequest, agentDir: string) {
  return {
    cwd: runDir,
    agentsFilesOverride: () => ({ agentsFiles: sdk.loadProjectContextFiles({ cwd, agentDir }) }),
  };
}

async function sessionManager(sdk: PiSdk, request: ConnectRequest, env: Environment) {
  const { cwd } = request;
  const directory = sessionsDir(request.stateDir);
  const file = await sessionFileFor(request);
  const fork = await forkFileFor(request, env);
  if (fork !== undefined) return sdk.SessionManager.forkFrom(fork, cwd, directory);
  if (file === undefined) return sdk.SessionManager.create(cwd, directory);
  return sdk.SessionManager.open(file, directory, cwd);
}

/** Creates a tool that replaces Pi's own `bash`, which passes this process's whole environment to its commands. */
function bashTool(
  sdk: PiSdk,
  cwd: string,
  settings: ReturnType<PiSdk["SettingsManager"]["inMemory"]>,
  env: () => Record<string, string>,
) {
  const commandPrefix = settings.getShellCommandPrefix();
  const shellPath = settings.getShellPath();
  return sdk.defineTool(
    sdk.createBashToolDefinition(cwd, {
      ...(commandPrefix !== undefined && { commandPrefix }),
      ...(shellPath !== undefined && { shellPath }),
      spawnHook: (context) => ({ ...context, env: env() }),
    }),
  );
}

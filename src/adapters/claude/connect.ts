import { randomUUID } from "node:crypto";
import { findRunning } from "../../adapter-kit/find-running.ts";
import type { Connection, ConnectRequest } from "../../contracts/adapter.ts";
import { toCommand } from "./command.ts";
import type { ConnectionParts } from "./connection.ts";
import { findClaude } from "./find.ts";
import type { ClaudeAdapterOptions } from "./index.ts";
import { type ModelSource, modelSource } from "./model.ts";
import { claudeOptions } from "./options.ts";
import { withCommandPermission } from "./policy.ts";
import { copyConversation } from "./settings/copy-conversation.ts";
import { configDir, hiddenVariables } from "./settings/environment.ts";
import { InitialConfig } from "./settings/initial-config.ts";
import { runFilesIn, writeRunFiles } from "./settings/run-files.ts";
import { sessionSettings } from "./settings/settings.ts";

/** Starts Claude Code for a session, or attaches to the running process if the request contains an attach point. */
export async function connectClaude(
  request: ConnectRequest,
  { env, runtimesDir, bin }: ClaudeAdapterOptions,
): Promise<Connection> {
  if (request.attach !== undefined) return attachClaude("claude", request);
  const { host, runDir } = request;
  const options = claudeOptions(request);
  const source = modelSource(request.model);
  const { file, version } = await findClaude({ bin: options.bin ?? bin, env, runtimesDir });
  const sessionId = request.resume ?? randomUUID();
  const isRoot = process.getuid?.() === 0;
  const parts = { file, sessionId, source, files: runFilesIn(runDir), env, isRoot };
  await copyConversation(request, source, env);
  const [firstStart] = await Promise.all([
    prepareFirstStart(request, source, { runtimesDir, version }),
    writeRunFiles(parts.files, {
      settings: withCommandPermission(sessionSettings(source, options, parts.files), request),
      hidden: hiddenVariables(request, parts),
      mcpServers: options.mcpServers,
    }),
  ]);
  const running = await host.spawn(toCommand(request, parts), { runDir });
  const { openConnection } = await import("./open-connection.ts"); // loaded while Claude Code starts, to save time
  return openConnection(running, request, { runtime: "claude", sessionId, ...firstStart });
}

/**
 * Restores the configuration file that Claude writes on its first start. If no copy has been saved yet, returns a
 * callback that saves one. Does nothing if Claude uses the user's own setup, if Claude's version is unknown, or if the
 * session is resumed or forked.
 */
async function prepareFirstStart(
  request: ConnectRequest,
  source: ModelSource,
  { runtimesDir, version }: { runtimesDir: string; version: string | undefined },
): Promise<Pick<ConnectionParts, "onInitialized">> {
  if (source.kind === "own" || version === undefined || (request.resume ?? request.fork)) return {};
  const config = new InitialConfig(runtimesDir, version);
  const directory = configDir(request);
  if (await config.copyTo(directory)) return {};
  const sessionValues = [request.cwd, source.apiKey.slice(-KEY_TAIL)];
  // An error is ignored, because the next session tries again.
  return { onInitialized: () => config.saveFrom(directory, sessionValues).catch(() => {}) };
}

/** The number of trailing characters of an approved key that Claude stores in its configuration. */
const KEY_TAIL = 20;

/** Attaches to a Claude Code process that either driver started. Rejects with `lost` if the process is not running. */
export async function attachClaude(runtime: string, request: ConnectRequest): Promise<Connection> {
  const running = await findRunning(request, "Claude Code");
  const { openConnection } = await import("./open-connection.ts");
  return openConnection(running, request, { runtime, sessionId: request.attach?.runtimeSessionId });
}

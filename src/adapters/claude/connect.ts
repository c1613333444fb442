import { randomUUID } from "node:crypto";
import type { Connection, ConnectRequest } from "../../core/adapter.ts";
import { findRunning } from "../../core/find-running.ts";
import { toCommand } from "./command.ts";
import type { ConnectionParts } from "./connection.ts";
import { configDir, hiddenVariables } from "./environment.ts";
import { findClaude } from "./find.ts";
import { FirstNotes } from "./first-notes.ts";
import type { ClaudeAdapterOptions } from "./index.ts";
import { type ModelSource, modelSource } from "./model.ts";
import { claudeOptions } from "./options.ts";
import { withAskedCommands } from "./policy.ts";
import { runFilesIn, writeRunFiles } from "./run-files.ts";
import { sessionSettings } from "./settings.ts";

/** Starts Claude Code, or takes hold of the one that runs. */
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
  const [introduction] = await Promise.all([
    prepareIntroduction(request, source, { runtimesDir, version }),
    writeRunFiles(parts.files, {
      settings: withAskedCommands(sessionSettings(source, options, parts.files), request),
      hidden: hiddenVariables(request, parts),
      mcpServers: options.mcpServers,
    }),
  ]);
  const running = await host.spawn(toCommand(request, parts), { runDir });
  const { speakTo } = await import("./speak-to.ts"); // while Claude Code starts
  return speakTo(running, request, { runtime: "claude", sessionId, ...introduction });
}

/** What a Claude with a configuration of its own has noted at its first start is given to the next. */
async function prepareIntroduction(
  request: ConnectRequest,
  source: ModelSource,
  { runtimesDir, version }: { runtimesDir: string; version: string | undefined },
): Promise<Pick<ConnectionParts, "onIntroduced">> {
  if (source.kind === "own" || version === undefined || request.resume !== undefined) return {};
  const notes = new FirstNotes(runtimesDir, version);
  const directory = configDir(request);
  if (await notes.copyTo(directory)) return {};
  const own = [request.cwd, source.apiKey.slice(-KEY_TAIL)];
  return { onIntroduced: () => notes.takeFrom(directory, own).catch(() => {}) }; // the next one notes it, as this one did
}

/** What Claude writes down of a key that it was allowed to use. */
const KEY_TAIL = 20;

/** Takes hold of a Claude Code that runs, whoever spoke to it before and however. */
export async function attachClaude(runtime: string, request: ConnectRequest): Promise<Connection> {
  const running = await findRunning(request, "Claude Code");
  const { speakTo } = await import("./speak-to.ts");
  return speakTo(running, request, { runtime, sessionId: request.attach?.runtimeSessionId });
}

import { randomUUID } from "node:crypto";
import type { Connection, ConnectRequest } from "../../core/adapter.ts";
import { findRunning } from "../../core/find-running.ts";
import { toCommand } from "./command.ts";
import { hiddenVariables } from "./environment.ts";
import { findClaude } from "./find.ts";
import type { ClaudeAdapterOptions } from "./index.ts";
import { modelSource } from "./model.ts";
import { claudeOptions } from "./options.ts";
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
  const { file } = await findClaude({ bin: options.bin ?? bin, env, runtimesDir });
  const sessionId = request.resume ?? randomUUID();
  const isRoot = process.getuid?.() === 0;
  const parts = { file, sessionId, source, files: runFilesIn(runDir), env, isRoot };
  await writeRunFiles(parts.files, {
    settings: sessionSettings(source, options),
    hidden: hiddenVariables(request, parts),
    mcpServers: options.mcpServers,
  });
  const [running, { speakTo }] = await Promise.all([
    host.spawn(toCommand(request, parts), { runDir }),
    import("./speak-to.ts"), // while Claude Code starts
  ]);
  return speakTo(running, request, { runtime: "claude", sessionId });
}

/** Takes hold of a Claude Code that runs, whoever spoke to it before and however. */
export async function attachClaude(runtime: string, request: ConnectRequest): Promise<Connection> {
  const running = await findRunning(request, "Claude Code");
  const { speakTo } = await import("./speak-to.ts");
  return speakTo(running, request, { runtime, sessionId: request.attach?.runtimeSessionId });
}

import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Connection, ConnectRequest } from "../../../core/adapter.ts";
import { homeIn } from "../../../core/environment.ts";
import { HalyardError } from "../../../core/error.ts";
import type { Command } from "../../../core/host.ts";
import { withScreens } from "../../../core/screens.ts";
import { claudeEnvironment, hiddenVariables } from "../environment.ts";
import { findClaude } from "../find.ts";
import type { ClaudeAdapterOptions } from "../index.ts";
import { effortLevels, modelSource } from "../model.ts";
import { claudeOptions } from "../options.ts";
import { permissionMode } from "../policy.ts";
import { mcpArguments, runFilesIn, writeRunFiles } from "../run-files.ts";
import { sessionSettings } from "../settings.ts";
import { untrustedArguments } from "../untrusted.ts";
import { ScreenConnection } from "./connection.ts";
import { readWhereabouts, screenFilesIn, writeScreenFiles } from "./files.ts";
import { acceptDialogs } from "./first-answers.ts";
import { hookSettings } from "./hooks.ts";
import { Sent } from "./sent.ts";
import { transcriptFile } from "./transcript.ts";

/** Starts Claude Code on a screen, or takes hold of the one that runs there. */
export async function connectScreen(
  request: ConnectRequest,
  options: ClaudeAdapterOptions,
): Promise<Connection> {
  const { runDir } = request;
  const host = withScreens(request.host);
  const files = screenFilesIn(runDir);
  const sent = new Sent(files.sent);
  if (request.attach !== undefined) {
    const terminal = await host.attachTerminal(runDir);
    const where = await readWhereabouts(files);
    if (!where || (await terminal?.health()) !== "alive" || !terminal)
      throw new HalyardError("lost", "Claude Code's screen is nowhere to be found");
    await sent.restore();
    const written = await sizeOf(where.transcript);
    return new ScreenConnection(request, { ...where, terminal, sent, hooks: files.hooks, written });
  }
  const sessionId = request.resume ?? randomUUID();
  const command = await prepare(request, options, sessionId);
  const configDir = command.env.CLAUDE_CONFIG_DIR || join(homeIn(command.env), ".claude");
  const transcript = transcriptFile(configDir, request.cwd, sessionId);
  const written = await sizeOf(transcript);
  if (request.resume !== undefined && written === 0)
    throw new HalyardError("runtime_session_not_found", `Claude has no record of ${sessionId}`);
  const hasOwnKeys = modelSource(request.model).kind === "given";
  const where = { sessionId, transcript, hasOwnKeys };
  await writeScreenFiles(files, where);
  const terminal = await host.openTerminal(command, { runDir });
  return new ScreenConnection(request, {
    ...where,
    terminal,
    sent,
    hooks: files.hooks,
    written,
  });
}

async function prepare(
  request: ConnectRequest,
  { env, runtimesDir, bin }: ClaudeAdapterOptions,
  sessionId: string,
): Promise<Command> {
  const { cwd, resume, reasoning, runDir, systemPrompt } = request;
  const options = claudeOptions(request);
  const source = modelSource(request.model);
  const { file } = await findClaude({ bin: options.bin ?? bin, env, runtimesDir });
  const files = runFilesIn(runDir);
  const parts = { source, files, env, sessionId, isRoot: process.getuid?.() === 0 };
  const isAllowed = permissionMode(request) === "bypassPermissions";
  const settings = sessionSettings(source, options, files);
  const ours = hookSettings(screenFilesIn(runDir), request);
  await writeRunFiles(files, {
    settings: {
      ...settings,
      ...telling,
      ...(isAllowed && accepted),
      hooks: withHooks(settings.hooks, ours),
    },
    hidden: hiddenVariables(request, parts),
    mcpServers: options.mcpServers,
  });
  const variables = claudeEnvironment(request, parts);
  if (source.kind === "given") await acceptDialogs(variables.CLAUDE_CONFIG_DIR, cwd, source.apiKey);
  const effort = reasoning && effortLevels[reasoning];
  const args = [
    ...["--settings", files.settings, "--permission-mode", permissionMode(request)],
    ...mcpArguments(files, options.mcpServers),
    ...untrustedArguments(request),
    ...(resume === undefined ? ["--session-id", sessionId] : ["--resume", resume]),
    ...(source.id === undefined ? [] : ["--model", source.id]),
    ...(effort === undefined ? [] : ["--effort", effort]),
    ...(systemPrompt === undefined ? [] : ["--append-system-prompt", systemPrompt]),
  ];
  return { file, args, cwd, env: variables };
}

/** That a turn is over is told by how long it took, and what Claude suggests is not somebody's draft. */
const telling = { showTurnDuration: true, promptSuggestionEnabled: false };

/** Who started the session with `allow-all` has agreed to that mode: without this, Claude asks at its screen first. */
const accepted = { skipDangerousModePermissionPrompt: true };

function withHooks(given: unknown, ours: Record<string, unknown[]>): Record<string, unknown> {
  const hooks: Record<string, unknown> = { ...(typeof given === "object" && given) };
  for (const [name, entries] of Object.entries(ours)) {
    const before: unknown = hooks[name];
    hooks[name] = [...(Array.isArray(before) ? before : []), ...entries];
  }
  return hooks;
}

function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { withScreens } from "../../../adapter-kit/screens.ts";
import type { Connection, ConnectRequest } from "../../../contracts/adapter.ts";
import type { Command } from "../../../contracts/host.ts";
import { HalyardError } from "../../../errors/error.ts";
import { homeIn } from "../../../programs/environment.ts";
import { findClaude } from "../find.ts";
import type { ClaudeAdapterOptions } from "../index.ts";
import { effortLevels, modelSource } from "../model.ts";
import { claudeOptions } from "../options.ts";
import { permissionMode } from "../policy.ts";
import { claudeEnvironment, hiddenVariables } from "../settings/environment.ts";
import { mcpArguments, runFilesIn, writeRunFiles } from "../settings/run-files.ts";
import { sessionSettings } from "../settings/settings.ts";
import { untrustedArguments } from "../settings/untrusted.ts";
import { acceptDialogs } from "./accept-dialogs.ts";
import { ScreenConnection } from "./connection.ts";
import { SentMessages } from "./delivery/sent-messages.ts";
import { readScreenSession, screenFilesIn, writeScreenFiles } from "./files.ts";
import { hookSettings } from "./hooks.ts";
import { transcriptFile } from "./transcript.ts";

/**
 * Starts Claude Code on a screen, or attaches to the screen of a running session. Rejects with `lost` if that screen no
 * longer exists, and with `runtime_session_not_found` if Claude has no record of the session to resume. Throws
 * `unsupported` if the host has no screens.
 */
export async function connectScreen(
  request: ConnectRequest,
  options: ClaudeAdapterOptions,
): Promise<Connection> {
  const { runDir } = request;
  const host = withScreens(request.host);
  const files = screenFilesIn(runDir);
  const sent = new SentMessages(files.sent);
  if (request.attach !== undefined) {
    const terminal = await host.attachTerminal(runDir);
    const session = await readScreenSession(files);
    if (!session || (await terminal?.health()) !== "alive" || !terminal)
      throw new HalyardError(
        "lost",
        "Claude Code's screen no longer exists. Resume the session to open a new screen.",
      );
    await sent.restore();
    const transcriptSize = await sizeOf(session.transcript);
    return new ScreenConnection(request, {
      ...session,
      terminal,
      sent,
      hooks: files.hooks,
      transcriptSize,
    });
  }
  const sessionId = request.resume ?? randomUUID();
  const command = await prepare(request, options, sessionId);
  const configDir = command.env.CLAUDE_CONFIG_DIR || join(homeIn(command.env), ".claude");
  const transcript = transcriptFile(configDir, request.cwd, sessionId);
  const transcriptSize = await sizeOf(transcript);
  if (request.resume !== undefined && transcriptSize === 0)
    throw new HalyardError(
      "runtime_session_not_found",
      `Claude Code has no record of session ${sessionId}. Start a new session.`,
    );
  const hasOwnConfig = modelSource(request.model).kind === "given";
  const session = { sessionId, transcript, hasOwnConfig };
  await writeScreenFiles(files, session);
  const terminal = await host.openTerminal(command, { runDir });
  return new ScreenConnection(request, {
    ...session,
    terminal,
    sent,
    hooks: files.hooks,
    transcriptSize,
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
  const ownHooks = hookSettings(screenFilesIn(runDir), request);
  await writeRunFiles(files, {
    settings: {
      ...settings,
      ...transcriptSettings,
      ...(isAllowed && bypassSettings),
      hooks: withHooks(settings.hooks, ownHooks),
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

/**
 * Settings without which the transcript and the screen would be ambiguous. In the transcript, the turn duration marks
 * the end of a turn. On the screen, prompt suggestions would look like text that a user typed.
 */
const transcriptSettings = { showTurnDuration: true, promptSuggestionEnabled: false };

/** Skips Claude's confirmation dialog, because the policy `allow-all` already implies consent. */
const bypassSettings = { skipDangerousModePermissionPrompt: true };

function withHooks(given: unknown, added: Record<string, unknown[]>): Record<string, unknown> {
  const hooks: Record<string, unknown> = { ...(typeof given === "object" && given) };
  for (const [name, entries] of Object.entries(added)) {
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

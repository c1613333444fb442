import { exitCodeOf, reasonOf } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { type HandedOff, handoff } from "../../halyard/handoff/handoff.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import type { Format } from "../choices.ts";
import { type Console, openConsole, warn } from "../console/console.ts";
import { ensureMcpSdk } from "../install/mcp-sdk.ts";
import { openDaemon } from "../open-daemon.ts";
import { whileSpinning } from "../output/spinner.ts";
import { readPromptAndInput } from "../prompt-text.ts";
import { requireSendable } from "../send/message-size.ts";
import { printTurn } from "../send/print-turn.ts";
import { readStartRequest, type SessionFlags } from "../start-request.ts";

export interface HandoffCommandOptions
  extends Pick<
    SessionFlags,
    "model" | "baseUrl" | "api" | "apiKeyEnv" | "permissions" | "reasoning" | "name"
  > {
  readonly to: string;
  readonly wait?: boolean;
  readonly format: Format;
  readonly plain?: boolean;
}

export async function handOff(
  session: string,
  prompt: string | undefined,
  options: HandoffCommandOptions,
): Promise<number> {
  const console = openConsole(options);
  const { format, wait = false, to, permissions, name } = options;
  const message = prompt === undefined ? undefined : await readPromptAndInput(prompt, console);
  if (message !== undefined) requireSendable(message);
  await using halyard = await openDaemon(console);
  const { id, cwd } = await findSession(halyard, session);
  const flags = { ...options, runtime: to, cwd };
  const { runtime = to, model, reasoning } = await readStartRequest(flags, console);
  await prepareLogTool(console);
  const request = {
    attended: true,
    ...(model !== undefined && { model }),
    ...(permissions !== undefined && { permissions }),
    ...(reasoning !== undefined && { reasoning }),
    ...(name !== undefined && { name }),
  };
  const work = () => handoff(halyard, id, runtime, { message, request });
  const handed = await whileSpinning("starting", work, console, format);
  await requireTaken(handed.turn);
  await report(handed, console, format);
  return wait ? exitCodeOf(await printTurn(handed.session, handed.turn, console, { format })) : 0;
}

/**
 * Installs the package that the log tool needs. If that fails, warns that the new agent reads the old log from a file.
 */
async function prepareLogTool(console: Console): Promise<void> {
  try {
    await ensureMcpSdk(console);
  } catch (error) {
    await warn(console, [
      `${reasonOf(error)} The new agent reads the old log from a file instead.`,
    ]);
  }
}

async function report(
  { session, notice }: HandedOff,
  { out, err }: Console,
  format: Format,
): Promise<void> {
  const { id, info } = session;
  await out.write(format === "json" ? `${JSON.stringify({ ...info, notice })}\n` : `${id}\n`);
  if (format === "text") await err.write(`${notice}\n`);
}

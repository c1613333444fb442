import { resolve } from "node:path";
import { chooseModel, chooseModelAgain, type ModelFlags } from "../../config/model-choice.ts";
import { readModels } from "../../config/models.ts";
import { homeDirectory } from "../../config/paths.ts";
import { readSettings } from "../../config/settings.ts";
import type { Halyard, Session } from "../../core/halyard.ts";
import type { ReasoningLevel } from "../../schema/model.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";
import type { Format } from "../choices.ts";
import { openInterrupts } from "../interrupts.ts";
import { openHalyard } from "../open-halyard.ts";
import { exitCodeOf } from "../output/exit-code.ts";
import { whileSpinning } from "../output/spinner.ts";
import { tilde } from "../output/words.ts";
import { readPrompt } from "../prompt-text.ts";
import { findSession } from "../session-id.ts";
import { openTerminal, type Terminal, warn } from "../terminal.ts";

export interface RunOptions extends ModelFlags {
  readonly format: Format;
  readonly runtime?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly permissions?: PermissionPolicy;
  readonly plan?: boolean;
  readonly reasoning?: ReasoningLevel;
  readonly resume?: string;
  readonly name?: string;
  /** In seconds. */
  readonly timeout?: number;
  readonly raw?: boolean;
  readonly record?: string;
}

export async function run(prompt: string, options: RunOptions): Promise<number> {
  const terminal = openTerminal();
  const { format, timeout } = options;
  const text = await readPrompt(prompt, terminal);
  using interrupts = openInterrupts(terminal);
  await using halyard = await openHalyard(terminal);
  const starting = () =>
    options.resume === undefined
      ? startSession(halyard, options, terminal)
      : resumeSession(halyard, options.resume, options, terminal);
  await using session = await whileSpinning("starting", starting, terminal, format);
  if (interrupts.isRequested) return exitCodeOf({ status: "cancelled" });
  const { playTurn } = await import("../play-turn.ts"); // while the agent gets ready
  if (format === "text") await terminal.out.write(heading(session, terminal));
  const limit = timeout === undefined ? {} : { timeoutMs: timeout * 1000 };
  const outcome = await playTurn(session, text, terminal, { format, interrupts, ...limit });
  if (format === "text" && session.info.resumable)
    await terminal.out.write(advice(session, terminal));
  await session.stop("the run is over");
  return exitCodeOf(outcome);
}

async function startSession(
  halyard: Halyard,
  options: RunOptions,
  terminal: Terminal,
): Promise<Session> {
  const { env, isAttended } = terminal;
  const cwd = resolve(options.cwd ?? ".");
  const settings = await readSettings(homeDirectory(env), cwd);
  const models = await readModels(env, cwd);
  await warn(terminal, [...settings.warnings, ...(models?.warnings ?? [])]);
  const model = chooseModel({
    flags: options,
    env,
    ...(models && { models: models.value }),
    ...(settings.model !== undefined && { defaultModel: settings.model }),
  });
  const permissions = options.permissions ?? settings.permissions;
  return halyard.start({
    runtime: options.runtime ?? options.agent ?? settings.runtime,
    cwd,
    plan: options.plan ?? false,
    raw: options.raw ?? false,
    ...(options.record !== undefined && { record: resolve(options.record) }),
    attended: isAttended,
    ...(model && { model }),
    ...(permissions !== undefined && { permissions }),
    ...(options.reasoning !== undefined && { reasoning: options.reasoning }),
    ...(options.name !== undefined && { name: options.name }),
  });
}

async function resumeSession(
  halyard: Halyard,
  id: string,
  options: RunOptions,
  terminal: Terminal,
): Promise<Session> {
  const { env, isAttended } = terminal;
  const info = await findSession(halyard, id);
  const models = await readModels(env, info.cwd);
  await warn(terminal, models?.warnings ?? []);
  const sources = { flags: options, env, ...(models && { models: models.value }) };
  const model = chooseModelAgain(sources, info.model);
  return halyard.resume(info.id, {
    raw: options.raw ?? false,
    ...(options.record !== undefined && { record: resolve(options.record) }),
    attended: isAttended,
    ...(model && { model }),
    ...(options.permissions !== undefined && { permissions: options.permissions }),
    ...(options.reasoning !== undefined && { reasoning: options.reasoning }),
  });
}

function heading({ info, opened }: Session, { out }: Terminal): string {
  const how = opened === "started" ? "" : `${opened} `;
  return out.colors.dim(`${info.runtime} · ${tilde(info.cwd)} · ${how}${info.id}\n\n`);
}

function advice({ id }: Session, { out }: Terminal): string {
  return out.colors.dim(`  go on with: halyard run --resume ${id} "…"\n`);
}

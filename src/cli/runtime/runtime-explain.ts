import type { Config } from "../../config/config.ts";
import { resolveRuntime } from "../../config/resolve-runtime.ts";
import { HalyardError } from "../../errors/error.ts";
import { sentence } from "../../errors/sentence.ts";
import { RuntimeName, runtimeNameAdvice } from "../../schema/runtime.ts";
import { defaultRuntime } from "../../schema/runtimes/built-in-runtimes.ts";
import type { RuntimeDecision, RuntimeStep } from "../../schema/runtimes/runtime-decision.ts";
import { requireDirectory } from "../../session/session-request.ts";
import { type Console, openConsole, throwIfUnwritable, warn } from "../console/console.ts";
import { requireRuntime } from "../known-runtime.ts";
import { resolveSessionPaths } from "../session-paths.ts";
import type { Colors } from "../text/colors.ts";
import { abbreviateHome } from "../text/format.ts";
import { table } from "../text/table.ts";
import { loadSessionConfig } from "../trust/session-config.ts";

export interface RuntimeExplainOptions {
  readonly format: "text" | "json";
  readonly runtime?: string;
  readonly project?: string;
  readonly agentId?: string;
  readonly cwd?: string;
}

export async function runtimeExplain(options: RuntimeExplainOptions): Promise<number> {
  const console = openConsole();
  const { out } = console;
  const { decision } = await loadAndDecideRuntime(options, console);
  await out.write(
    options.format === "json" ? `${JSON.stringify(decision)}\n` : describe(decision, out.colors),
  );
  throwIfUnwritable(console);
  return 0;
}

/** Loads the configuration of a directory and decides the runtime of a session in it. */
export async function loadAndDecideRuntime(
  options: RuntimeExplainOptions,
  console: Console,
): Promise<{ config: Config; decision: RuntimeDecision; project: string | undefined }> {
  const { runtime, agentId } = options;
  if (runtime !== undefined && !RuntimeName.safeParse(runtime).success)
    throw new HalyardError(
      "invalid_input",
      `--runtime expects ${sentence(runtimeNameAdvice(runtime))} Run "halyard runtime list" to list the runtimes.`,
    );
  const { env } = console;
  const paths = await resolveSessionPaths(options, console);
  await requireDirectory(paths.cwd);
  const config = await loadSessionConfig(paths, console);
  await warn(console, config.warnings ?? []);
  if (runtime !== undefined) await requireRuntime(runtime, config, env);
  const decision = resolveRuntime(config, {
    ...(runtime !== undefined && { runtime }),
    ...(paths.project !== undefined && { project: paths.project }),
    ...(agentId !== undefined && { agentId }),
  });
  return { config, decision, project: paths.project };
}

function describe({ runtime, source, explicit, steps }: RuntimeDecision, colors: Colors): string {
  const rows = steps.map((step) => [step.source, sourceOf(step), step.reason]);
  const lines = table(rows).map((line, index) =>
    steps[index]?.decided ? colors.green(`✓ ${line}`) : colors.dim(`  ${line}`),
  );
  const isFinal = explicit || runtime === defaultRuntime;
  const otherwise = isFinal
    ? `If ${runtime} cannot run, the session fails to start.`
    : `If ${runtime} cannot run, ${defaultRuntime} runs instead.`;
  return `${colors.bold(runtime)}, set by ${source}\n\n${lines.join("\n")}\n\n${otherwise}\n`;
}

function sourceOf({ file, key }: RuntimeStep): string {
  return file === undefined ? "" : `${abbreviateHome(file)}: ${key}`;
}

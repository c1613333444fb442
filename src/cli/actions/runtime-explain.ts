import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { homeDirectory } from "../../config/paths.ts";
import { BUILT_IN, resolveRuntime } from "../../config/resolve-runtime.ts";
import { HalyardError } from "../../core/error.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import type { RuntimeDecision, RuntimeStep } from "../../schema/runtime-decision.ts";
import type { Colors } from "../output/colors.ts";
import { table } from "../output/table.ts";
import { tilde } from "../output/words.ts";
import { sessionPlace } from "../session-place.ts";
import { openTerminal, type Terminal, throwIfUnwritable, warn } from "../terminal.ts";

export interface RuntimeExplainOptions {
  readonly format: "text" | "json";
  readonly runtime?: string;
  readonly project?: string;
  readonly agentId?: string;
  readonly cwd?: string;
}

export async function runtimeExplain(options: RuntimeExplainOptions): Promise<number> {
  const terminal = openTerminal();
  const { out } = terminal;
  const { decision } = await decideRuntime(options, terminal);
  await out.write(
    options.format === "json" ? `${JSON.stringify(decision)}\n` : describe(decision, out.colors),
  );
  throwIfUnwritable(terminal);
  return 0;
}

/** The configuration that holds there, and the runtime that a session would get. */
export async function decideRuntime(
  options: RuntimeExplainOptions,
  terminal: Terminal,
): Promise<{ config: Config; decision: RuntimeDecision }> {
  const { runtime, agentId } = options;
  if (runtime !== undefined && !RuntimeName.safeParse(runtime).success)
    throw new HalyardError("invalid_input", "--runtime: expected a lower-case name such as pi");
  const { env } = terminal;
  const place = await sessionPlace(options, terminal);
  const config = await loadConfig({ ...place, env, home: homeDirectory(env) });
  await warn(terminal, config.warnings ?? []);
  const decision = resolveRuntime(config, {
    ...(runtime !== undefined && { runtime }),
    ...(place.project !== undefined && { project: place.project }),
    ...(agentId !== undefined && { agentId }),
  });
  return { config, decision };
}

function describe({ runtime, source, explicit, steps }: RuntimeDecision, colors: Colors): string {
  const rows = steps.map((step) => [step.source, placeOf(step), step.reason]);
  const lines = table(rows).map((line, index) =>
    steps[index]?.decided ? colors.green(`✓ ${line}`) : colors.dim(`  ${line}`),
  );
  const substitute = explicit || runtime === BUILT_IN ? "nothing" : BUILT_IN;
  const otherwise = `Where ${runtime} cannot run, ${substitute} runs in its place.`;
  return `${colors.bold(runtime)}, by ${source}\n\n${lines.join("\n")}\n\n${otherwise}\n`;
}

function placeOf({ file, key }: RuntimeStep): string {
  return file === undefined ? "" : `${tilde(file)}: ${key}`;
}

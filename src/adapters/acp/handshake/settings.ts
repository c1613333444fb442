import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { ReasoningLevel } from "../../../schema/model.ts";
import { askingModes, planModes, wantsAsking } from "../policy.ts";
import type { SendRequest } from "./initialize.ts";
import { type RuntimeOption, readRuntimeOptions, SessionResponse } from "./runtime-options.ts";

/** The settings of a session that Halyard applies by setting options of the agent. */
export interface SessionSettings
  extends Pick<ConnectRequest, "permissions" | "plan" | "reasoning"> {
  readonly model?: string | undefined;
  /** True if the session sets the model endpoint, so that the agent may not list the model. */
  readonly hasEndpoint: boolean;
  /** The value or the name of the agent's mode to use. */
  readonly mode?: string | undefined;
}

/** The session whose settings are applied, and its agent. */
export interface OpenAgentSession {
  readonly sessionId: string;
  readonly version: 1 | 2;
  readonly agent: string;
}

/**
 * Sets the agent's options. Returns a warning if the agent does not support the reasoning level. Throws if the agent does
 * not support the model, the mode or planning.
 */
export async function applySettings(
  settings: SessionSettings,
  response: SessionResponse,
  session: OpenAgentSession,
  send: SendRequest,
): Promise<string[]> {
  const { sessionId, version, agent } = session;
  let options = readRuntimeOptions(response, version);
  const set = async (option: RuntimeOption, value: string): Promise<void> => {
    if (option.value === value) return;
    const { method, params } = option.toRequest(value);
    const changed = SessionResponse.safeParse(await send(method, { sessionId, ...params })).data;
    if (changed?.configOptions) options = readRuntimeOptions(changed, version);
  };
  const { model, hasEndpoint, reasoning, plan, mode, permissions } = settings;
  if (model !== undefined) await set(...chooseModel(options, model, { agent, hasEndpoint }));
  const level = reasoning === undefined ? undefined : chooseLevel(options, reasoning);
  if (level) await set(level.option, level.value);
  if (mode !== undefined) await set(...chooseMode(options, mode, agent));
  else
    for (const [option, value] of chooseModes(options, { plan, permissions, agent }))
      await set(option, value);
  return reasoning !== undefined && level === undefined
    ? [`${agent} does not support the reasoning level ${reasoning}. The level has no effect.`]
    : [];
}

type Choice = [option: RuntimeOption, value: string];

function chooseModel(
  options: readonly RuntimeOption[],
  model: string,
  { agent, hasEndpoint }: { agent: string; hasEndpoint: boolean },
): Choice {
  const option = options.find(({ category }) => category === "model");
  if (option === undefined)
    throw new HalyardError(
      "unsupported",
      `${agent} has no setting for the model. ${WITHOUT_MODEL}`,
    );
  const isListed = option.choices.some(({ value, name }) => value === model || name === model);
  if (hasEndpoint && !isListed) return [option, model];
  const problem = `${agent} has no model "${model}"`;
  return [option, chosenValue(option, model, { problem, remedy: WITHOUT_MODEL })];
}

function chooseMode(options: readonly RuntimeOption[], mode: string, agent: string): Choice {
  const modes = options.filter(({ category }) => category === "mode");
  const option =
    modes.find(({ choices }) => choices.some(({ value }) => value === mode)) ?? modes[0];
  if (option === undefined)
    throw new HalyardError("unsupported", `${agent} has no modes. ${WITHOUT_MODE}`);
  const problem = `${agent} has no mode "${mode}"`;
  return [option, chosenValue(option, mode, { problem, remedy: WITHOUT_MODE })];
}

const WITHOUT_MODEL = "Start the session without a model.";
const WITHOUT_MODE = 'Remove the option "mode".';

/** Returns the value of a choice with this value or name. Throws `invalid_input` if there is none. */
function chosenValue(
  { choices }: RuntimeOption,
  wanted: string,
  { problem, remedy }: { readonly problem: string; readonly remedy: string },
): string {
  const found =
    choices.find(({ value }) => value === wanted) ?? choices.find(({ name }) => name === wanted);
  if (found) return found.value;
  const known = choices.map(({ value }) => value);
  const more = known.length > SHOWN ? `, and ${known.length - SHOWN} more` : "";
  const advice =
    known.length === 0 ? remedy : `Available: ${known.slice(0, SHOWN).join(", ")}${more}.`;
  throw new HalyardError("invalid_input", `${problem}. ${advice}`);
}

const SHOWN = 20;

/**
 * Chooses the modes. A planning session requires a plan mode; without one, throws `unsupported`. A planning session and
 * every policy except `allow-all` also use a mode that requests permission, if the agent has such a mode.
 */
function chooseModes(
  options: readonly RuntimeOption[],
  { plan, permissions, agent }: Pick<SessionSettings, "plan" | "permissions"> & { agent: string },
): Choice[] {
  const modes = options.filter(({ category }) => category.endsWith("mode"));
  const planning = plan ? choiceAmong(modes, planModes) : undefined;
  if (plan && planning === undefined)
    throw new HalyardError(
      "unsupported",
      `${agent} has no plan mode. Remove the option "plan", or choose another runtime.`,
    );
  const isFree = (option: RuntimeOption) => option.category === "mode" && option !== planning?.[0];
  const asking = wantsAsking({ plan, permissions })
    ? choiceAmong(modes.filter(isFree), askingModes)
    : undefined;
  return [planning, asking].flatMap((choice) => (choice ? [choice] : []));
}

function choiceAmong(
  options: readonly RuntimeOption[],
  wanted: readonly string[],
): Choice | undefined {
  for (const option of options) {
    const has = (value: string) => option.choices.some((choice) => choice.value === value);
    const value = wanted.includes(option.value) ? option.value : wanted.find(has);
    if (value !== undefined) return [option, value];
  }
  return undefined;
}

function chooseLevel(
  options: readonly RuntimeOption[],
  level: ReasoningLevel,
): { option: RuntimeOption; value: string } | undefined {
  const option = options.find(({ category }) => category === "thought_level");
  const value = levels[level].find((name) =>
    option?.choices.some((choice) => choice.value === name),
  );
  return option && value !== undefined ? { option, value } : undefined;
}

/** Names that agents use for Halyard's reasoning levels, best match first. */
const levels: Readonly<Record<ReasoningLevel, readonly string[]>> = {
  off: ["off", "none", "disabled"],
  minimal: ["minimal", "low"],
  low: ["low"],
  medium: ["medium"],
  high: ["high"],
  max: ["max", "xhigh", "high"],
};

import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import type { ReasoningLevel } from "../../schema/model.ts";
import type { Ask } from "./greet.ts";
import { type Knob, readKnobs, SessionAnswer } from "./knobs.ts";
import { askingModes, planModes, wantsAsking } from "./policy.ts";

/** How a session is to be. */
export interface Wishes extends Pick<ConnectRequest, "permissions" | "plan" | "reasoning"> {
  readonly model?: string | undefined;
  /** The agent's own name for a mode. */
  readonly mode?: string | undefined;
}

export interface Session {
  readonly sessionId: string;
  readonly version: 1 | 2;
  readonly agent: string;
}

/** Turns the agent's knobs to what is wished for. The answer is what could not be done, and does not matter enough to fail. */
export async function applyWishes(
  wishes: Wishes,
  answer: SessionAnswer,
  session: Session,
  ask: Ask,
): Promise<string[]> {
  const { sessionId, version, agent } = session;
  let knobs = readKnobs(answer, version);
  const turn = async (knob: Knob, value: string): Promise<void> => {
    if (knob.value === value) return;
    const { method, params } = knob.toRequest(value);
    const changed = SessionAnswer.safeParse(await ask(method, { sessionId, ...params })).data;
    if (changed?.configOptions) knobs = readKnobs(changed, version);
  };
  const { model, reasoning, plan, mode, permissions } = wishes;
  if (model !== undefined) await turn(...chooseModel(knobs, model, agent));
  const undone = reasoning === undefined ? undefined : chooseLevel(knobs, reasoning);
  if (undone) await turn(undone.knob, undone.value);
  if (mode !== undefined) await turn(...chooseMode(knobs, mode, agent));
  else
    for (const [knob, value] of chooseModes(knobs, { plan, permissions, agent }))
      await turn(knob, value);
  return reasoning !== undefined && undone === undefined
    ? [`${agent} cannot be told how hard to think: ${reasoning} makes no difference`]
    : [];
}

type Choice = [knob: Knob, value: string];

function chooseModel(knobs: readonly Knob[], model: string, agent: string): Choice {
  const knob = knobs.find(({ category }) => category === "model");
  if (knob === undefined)
    throw new HalyardError(
      "unsupported",
      `${agent} cannot be told which model to use; leave it out`,
    );
  return [knob, chosenValue(knob, model, `${agent} has no model ${model}`)];
}

function chooseMode(knobs: readonly Knob[], mode: string, agent: string): Choice {
  const modes = knobs.filter(({ category }) => category === "mode");
  const knob = modes.find(({ choices }) => choices.some(({ value }) => value === mode)) ?? modes[0];
  if (knob === undefined) throw new HalyardError("unsupported", `${agent} has no modes`);
  return [knob, chosenValue(knob, mode, `${agent} has no mode ${mode}`)];
}

function chosenValue({ choices }: Knob, wanted: string, problem: string): string {
  const found =
    choices.find(({ value }) => value === wanted) ?? choices.find(({ name }) => name === wanted);
  if (found) return found.value;
  const known = choices.map(({ value }) => value);
  const more = known.length > SHOWN ? `, and ${known.length - SHOWN} more` : "";
  throw new HalyardError(
    "invalid_input",
    `${problem}; it has ${known.slice(0, SHOWN).join(", ")}${more}`,
  );
}

const SHOWN = 20;

/** A plan needs a mode for it. And where somebody wants to be asked, the agent should be in a mode in which it asks. */
function chooseModes(
  knobs: readonly Knob[],
  { plan, permissions, agent }: Pick<Wishes, "plan" | "permissions"> & { agent: string },
): Choice[] {
  const modes = knobs.filter(({ category }) => category.endsWith("mode"));
  const planning = plan ? choiceAmong(modes, planModes) : undefined;
  if (plan && planning === undefined)
    throw new HalyardError("unsupported", `${agent} has no mode in which it only plans`);
  const isFree = (knob: Knob) => knob.category === "mode" && knob !== planning?.[0];
  const asking = wantsAsking({ plan, permissions })
    ? choiceAmong(modes.filter(isFree), askingModes)
    : undefined;
  return [planning, asking].flatMap((choice) => (choice ? [choice] : []));
}

function choiceAmong(knobs: readonly Knob[], wanted: readonly string[]): Choice | undefined {
  for (const knob of knobs) {
    const has = (value: string) => knob.choices.some((choice) => choice.value === value);
    const value = wanted.includes(knob.value) ? knob.value : wanted.find(has);
    if (value !== undefined) return [knob, value];
  }
  return undefined;
}

function chooseLevel(
  knobs: readonly Knob[],
  level: ReasoningLevel,
): { knob: Knob; value: string } | undefined {
  const knob = knobs.find(({ category }) => category === "thought_level");
  const value = levels[level].find((name) => knob?.choices.some((choice) => choice.value === name));
  return knob && value !== undefined ? { knob, value } : undefined;
}

/** What agents call our levels, the nearest first. */
const levels: Readonly<Record<ReasoningLevel, readonly string[]>> = {
  off: ["off", "none", "disabled"],
  minimal: ["minimal", "low"],
  low: ["low"],
  medium: ["medium"],
  high: ["high"],
  max: ["max", "xhigh", "high"],
};

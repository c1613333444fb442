import { HalyardError } from "../core/error.ts";
import { ReasoningLevel } from "../schema/model.ts";
import type { Capability } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionChanges } from "../schema/session-changes.ts";
import type { AcpContext } from "./context.ts";
import { currentMode, modesOf, toMode } from "./modes.ts";

/** Something that can be chosen for a session, and what is chosen now. */
export interface Choice {
  readonly id: "mode" | "model" | "thought_level";
  readonly name: string;
  readonly current: string;
  readonly values: readonly ChoiceValue[];
}

export interface ChoiceValue {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** All that can be chosen for a session. */
export function choicesOf(
  info: SessionInfo,
  capabilities: readonly Capability[],
  { models = [], limit }: Pick<AcpContext, "models" | "limit"> = {},
): Choice[] {
  const known = models.map(({ id, name }) => ({ value: id, name }));
  const levels = ReasoningLevel.options.map((level) => ({ value: level, name: level }));
  return [
    {
      id: "mode",
      name: "Mode",
      current: currentMode(info),
      values: modesOf(capabilities, limit).map(({ id, name, description }) => ({
        value: id,
        name,
        description,
      })),
    },
    { id: "model", name: "Model", ...amongst(known, info.model?.id) },
    ...(capabilities.includes("reasoning")
      ? [{ id: "thought_level", name: "Reasoning", ...amongst(levels, info.reasoning) } as const]
      : []),
  ];
}

/** What was chosen, as a change to the session. A model need not be listed: runtimes know more of them than we do. */
export function chosen(info: SessionInfo, id: string, value: string): SessionChanges {
  if (id === "mode") return toMode(info, value);
  if (id !== "model" && id !== "thought_level")
    throw new HalyardError("invalid_input", `there is nothing to choose by the name ${id}`);
  if (value === USUAL)
    throw new HalyardError("invalid_input", "the runtime's own choice cannot be taken up again");
  if (id === "model") return { model: value };
  const level = ReasoningLevel.safeParse(value);
  if (level.success) return { reasoning: level.data };
  const known = ReasoningLevel.options.join(", ");
  throw new HalyardError("invalid_input", `there is no level ${value}; there are ${known}`);
}

/** Where nobody has chosen anything. */
const USUAL = "default";

/** What is chosen is always among what can be. */
function amongst(
  values: readonly ChoiceValue[],
  chosen: string | undefined,
): Pick<Choice, "current" | "values"> {
  const current = chosen ?? USUAL;
  if (values.some(({ value }) => value === current)) return { current, values };
  const name = chosen ?? "The runtime's own";
  return { current, values: [{ value: current, name }, ...values] };
}

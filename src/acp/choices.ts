import { HalyardError } from "../errors/error.ts";
import { ReasoningLevel } from "../schema/model.ts";
import type { Capability } from "../schema/runtime.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { AcpContext } from "./context.ts";
import { currentMode, modesOf, toMode } from "./modes.ts";

/** A setting of a session with its current value. */
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

/** Returns the settings of a session that the client can change, with their current values. */
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
    { id: "model", name: "Model", ...withCurrent(known, info.model?.id) },
    ...(capabilities.includes("reasoning")
      ? [
          {
            id: "thought_level",
            name: "Reasoning",
            ...withCurrent(levels, info.reasoning),
          } as const,
        ]
      : []),
  ];
}

/**
 * Converts a chosen value to a change of the session. A model does not need to be in the list, because runtimes support
 * more models than Halyard knows. Throws `invalid_input` for an unknown option, mode or level, and for `default`.
 */
export function toChanges(info: SessionInfo, id: string, value: string): SessionChanges {
  if (id === "mode") return toMode(info, value);
  if (id !== "model" && id !== "thought_level")
    throw new HalyardError(
      "invalid_input",
      `The option "${id}" does not exist. Choose one of: mode, model, thought_level.`,
    );
  if (value === DEFAULT)
    throw new HalyardError(
      "invalid_input",
      "The runtime's default cannot be selected, because Halyard does not know its value. Choose another value.",
    );
  if (id === "model") return { model: value };
  const level = ReasoningLevel.safeParse(value);
  if (level.success) return { reasoning: level.data };
  const known = ReasoningLevel.options.join(", ");
  throw new HalyardError(
    "invalid_input",
    `The reasoning level "${value}" does not exist. Choose one of: ${known}.`,
  );
}

/** The current value of a setting that the session leaves to the runtime. Clients cannot select it. */
const DEFAULT = "default";

/** Adds the current value to the list if it is missing. */
function withCurrent(
  values: readonly ChoiceValue[],
  chosen: string | undefined,
): Pick<Choice, "current" | "values"> {
  const current = chosen ?? DEFAULT;
  if (values.some(({ value }) => value === current)) return { current, values };
  const name = chosen ?? "Runtime default";
  return { current, values: [{ value: current, name }, ...values] };
}

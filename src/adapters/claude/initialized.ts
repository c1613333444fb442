import { z } from "zod";
import type { SlashCommand } from "../../schema/conversation/slash-command.ts";
import type { ModelInfo } from "../../schema/runtimes/model-info.ts";

const words = z.string().catch("");

/** The fields that Halyard reads from Claude's response to the initialization. */
const Initialized = z.looseObject({
  commands: z
    .array(z.looseObject({ name: z.string(), description: words, argumentHint: words }))
    .catch([]),
  models: z.array(z.looseObject({ value: z.string(), displayName: words })).catch([]),
});

/** Returns the slash commands in Claude's response to the initialization. */
export function slashCommands(response: unknown): SlashCommand[] {
  const { commands } = Initialized.parse(response ?? {});
  return commands.map(({ name, description, argumentHint: hint }) => ({
    name,
    ...(description !== "" && { description }),
    ...(hint !== "" && { hint }),
  }));
}

/** Returns the models in Claude's response to the initialization. The id `default` stands for the default model. */
export function modelsIn(response: unknown): ModelInfo[] {
  const { models } = Initialized.parse(response ?? {});
  return models.map(({ value: id, displayName: name }) => ({
    id,
    ...(name !== "" && name !== id && { name }),
    ...(id === "default" && { isDefault: true as const }),
  }));
}

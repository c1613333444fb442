import { z } from "zod";

const Choice = z.looseObject({ value: z.string(), name: z.string().default("") });

const ConfigOption = z.looseObject({
  /** The id in version 1. */
  id: z.string().optional(),
  /** The id in version 2. */
  configId: z.string().optional(),
  category: z.string().nullish(),
  type: z.string(),
  currentValue: z.unknown(),
  options: z.array(z.union([Choice, z.looseObject({ options: z.array(Choice) })])).nullish(),
});

/** The response to a request that opens a session or changes a setting. */
export const SessionResponse = z
  .looseObject({
    sessionId: z.string().optional(),
    configOptions: z.array(ConfigOption).nullish().catch(undefined),
    modes: z
      .looseObject({
        currentModeId: z.string(),
        availableModes: z.array(z.looseObject({ id: z.string(), name: z.string().default("") })),
      })
      .nullish()
      .catch(undefined),
    models: z
      .looseObject({
        currentModelId: z.string(),
        availableModels: z.array(
          z.looseObject({ modelId: z.string(), name: z.string().default("") }),
        ),
      })
      .nullish()
      .catch(undefined),
  })
  .nullish();
export type SessionResponse = z.infer<typeof SessionResponse>;

/** A session setting with a list of values. */
export interface RuntimeOption {
  readonly category: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly name: string }[];
  /** Builds the request that sets the option. */
  toRequest(value: string): { method: string; params: Record<string, unknown> };
}

/** Reads a session's options from `configOptions`. If the mode or the model is absent, reads `modes` or `models`. */
export function readRuntimeOptions(response: SessionResponse, version: 1 | 2): RuntimeOption[] {
  const options = (response?.configOptions ?? []).flatMap((option) =>
    toRuntimeOption(option, version),
  );
  const has = (category: string) => options.some((option) => option.category === category);
  const { modes, models } = response ?? {};
  if (modes && !has("mode"))
    options.push({
      category: "mode",
      value: modes.currentModeId,
      choices: modes.availableModes.map(({ id, name }) => ({ value: id, name })),
      toRequest: (modeId) => ({ method: "session/set_mode", params: { modeId } }),
    });
  if (models && !has("model"))
    options.push({
      category: "model",
      value: models.currentModelId,
      choices: models.availableModels.map(({ modelId, name }) => ({ value: modelId, name })),
      toRequest: (modelId) => ({ method: "session/set_model", params: { modelId } }),
    });
  return options;
}

function toRuntimeOption(option: z.infer<typeof ConfigOption>, version: 1 | 2): RuntimeOption[] {
  const configId = option.configId ?? option.id;
  if (option.type !== "select" || configId === undefined) return [];
  const type = version === 2 ? { type: "id" } : {};
  return [
    {
      category: option.category || configId,
      value: String(option.currentValue),
      choices: (option.options ?? []).flatMap((one) =>
        "options" in one && Array.isArray(one.options) ? choices(one.options) : choices([one]),
      ),
      toRequest: (value) => ({
        method: "session/set_config_option",
        params: { configId, ...type, value },
      }),
    },
  ];
}

function choices(options: readonly unknown[]): { value: string; name: string }[] {
  return options.flatMap((option) => Choice.safeParse(option).data ?? []);
}

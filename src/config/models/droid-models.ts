import { HalyardError } from "../../errors/error.ts";
import type { ModelEndpoint } from "../../schema/model.ts";
import type { Config } from "../config.ts";
import type { Environment } from "../paths.ts";
import { modelSources } from "./default-model.ts";
import { toEndpoint } from "./models.ts";

/** A model from `models.json` with its key, for Droid's model list. */
export interface DroidModel extends ModelEndpoint {
  readonly displayName?: string;
  readonly maxOutputTokens?: number;
}

/**
 * Returns the models in `models.json`, except models whose key variable is not set. Returns an empty list if the file
 * is not trusted.
 */
export function droidModels(config: Config, env: Environment): DroidModel[] {
  const { models, untrusted, from } = modelSources(config);
  if (untrusted !== undefined) return [];
  return Object.entries(models?.models ?? {}).flatMap(([name, named]) => {
    const { displayName = name, maxOutputTokens } = named;
    try {
      const endpoint = toEndpoint(name, named, { env, from });
      return [{ ...endpoint, displayName, ...(maxOutputTokens && { maxOutputTokens }) }];
    } catch (error) {
      // Skips the model. Its missing key is reported if the session uses the model.
      if (error instanceof HalyardError) return [];
      throw error;
    }
  });
}

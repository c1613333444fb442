import { HalyardError } from "../core/error.ts";
import type { ModelEndpoint } from "../schema/model.ts";
import type { Config } from "./config.ts";
import { modelSources } from "./default-model.ts";
import { toEndpoint } from "./models.ts";
import type { Environment } from "./paths.ts";

/** A model of `models.json` with its key, for Droid's own list of models. */
export interface ListedModel extends ModelEndpoint {
  readonly displayName?: string;
  readonly maxOutputTokens?: number;
}

/** All models of a trusted `models.json`, except those whose key cannot be used here. */
export function droidModels(config: Config, env: Environment): ListedModel[] {
  const { models, untrusted, from } = modelSources(config);
  if (untrusted !== undefined) return [];
  return Object.entries(models?.models ?? {}).flatMap(([name, named]) => {
    const { displayName = name, maxOutputTokens } = named;
    try {
      const endpoint = toEndpoint(name, named, { env, from });
      return [
        { ...endpoint, displayName, ...(maxOutputTokens !== undefined && { maxOutputTokens }) },
      ];
    } catch (error) {
      if (error instanceof HalyardError) return []; // the session's own model reports a missing key
      throw error;
    }
  });
}

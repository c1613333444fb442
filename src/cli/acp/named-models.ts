import type { ModelChoice } from "../../acp/context.ts";
import type { Config } from "../../config/config.ts";
import { modelSources } from "../../config/models/default-model.ts";

/** Returns the models in `models.json`, or none if the directory of the file is not trusted. */
export function namedModels(config: Config): ModelChoice[] {
  const { models, untrusted } = modelSources(config);
  const named = untrusted === undefined ? Object.entries(models?.models ?? {}) : [];
  return named.map(([name, { model, displayName = name }]) => ({ id: model, name: displayName }));
}

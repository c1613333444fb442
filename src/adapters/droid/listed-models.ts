import type { Host } from "../../core/host.ts";
import { vendorUrls, type WholeEndpoint, wholeEndpoint } from "../../core/model-endpoint.ts";
import type { ListedModel } from "../../schema/runtime-options.ts";
import { customModel, type ModelSource } from "./model.ts";

/** A model of Droid's own list, and the variable that holds its key. */
export interface OtherModel {
  readonly endpoint: WholeEndpoint;
  readonly variable: string;
  /** The entry in Droid's settings. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/**
 * The models that Droid lists beside the session's own. Without those that have no endpoint, and none in a container:
 * there, only Halyard has the keys, and it routes the session's own model alone.
 */
export function otherModels(
  models: readonly ListedModel[],
  source: ModelSource,
  host: Pick<Host, "name">,
): OtherModel[] {
  if (host.name === "container") return [];
  const endpoints = models.flatMap((model) => {
    const { id, api, apiKey } = model;
    const baseUrl = model.baseUrl ?? (apiKey && api ? vendorUrls[api] : undefined);
    if (id === undefined || baseUrl === undefined) return [];
    const endpoint = wholeEndpoint({ id, api, apiKey, baseUrl }, { program: "Droid" });
    return isSelected(endpoint, source) ? [] : [{ endpoint, model }];
  });
  return endpoints.map(({ endpoint, model }, index) => {
    const variable = `HALYARD_DROID_API_KEY_${index + 1}`;
    const { displayName = endpoint.id, maxOutputTokens } = model;
    const entry = {
      ...customModel(endpoint, { effort: undefined, apiKey: `\${${variable}}` }),
      displayName,
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    };
    return { endpoint, variable, entry };
  });
}

function isSelected({ id, baseUrl }: WholeEndpoint, source: ModelSource): boolean {
  if (source.kind !== "endpoint") return false;
  return source.endpoint.id === id && source.endpoint.baseUrl === baseUrl;
}

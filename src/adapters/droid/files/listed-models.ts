import {
  vendorUrls,
  type WholeEndpoint,
  wholeEndpoint,
} from "../../../adapter-kit/model-endpoint.ts";
import type { Host } from "../../../contracts/host.ts";
import type { ListedModel } from "../../../schema/runtimes/runtime-options.ts";
import { customModel, type ModelSource } from "../model.ts";

/** An additional model in Droid's list, and the environment variable that contains its key. */
export interface OtherModel {
  readonly endpoint: WholeEndpoint;
  readonly variable: string;
  /** Its entry in Droid's settings. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/**
 * Returns the models that Droid lists in addition to the session's model. Models without an endpoint are left out.
 * Returns none in a container: only Halyard has the keys there, and it routes only the session's model.
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

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
  /** The model's entry in Droid's settings. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/**
 * Returns the models that Droid lists in addition to the session's model. Excludes models without an endpoint. Returns
 * an empty list for a container, which contains no keys: Halyard forwards only requests to the session's model.
 */
export function otherModels(
  models: readonly ListedModel[],
  source: ModelSource,
  host: Pick<Host, "name">,
): OtherModel[] {
  if (host.name === "container") return [];
  const endpoints = endpointsOf(models).filter(({ endpoint }) => !isSelected(endpoint, source));
  return endpoints.map(({ endpoint, model }, index) => {
    const variable = `HALYARD_DROID_API_KEY_${index + 1}`;
    const entry = {
      ...customModel(endpoint, { effort: undefined, apiKey: `\${${variable}}` }),
      ...listedFields(model),
    };
    return { endpoint, variable, entry };
  });
}

/** A listed model's name and output limit. */
export type ListedFields = Pick<ListedModel, "displayName" | "maxOutputTokens">;

/** Returns the name and output limit of the session's model, if the list contains them. */
export function selectedFields(models: readonly ListedModel[], source: ModelSource): ListedFields {
  const selected = endpointsOf(models).find(({ endpoint }) => isSelected(endpoint, source));
  return selected ? listedFields(selected.model) : {};
}

function listedFields({ displayName, maxOutputTokens }: ListedModel): ListedFields {
  return {
    ...(displayName !== undefined && { displayName }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

function endpointsOf(models: readonly ListedModel[]) {
  return models.flatMap((model) => {
    const { id, api, apiKey } = model;
    const baseUrl = model.baseUrl ?? (apiKey && api ? vendorUrls[api] : undefined);
    if (id === undefined || baseUrl === undefined) return [];
    const endpoint = wholeEndpoint({ id, api, apiKey, baseUrl }, { program: "Droid" });
    return [{ endpoint, model }];
  });
}

function isSelected({ id, baseUrl }: WholeEndpoint, source: ModelSource): boolean {
  if (source.kind !== "endpoint") return false;
  return source.endpoint.id === id && source.endpoint.baseUrl === baseUrl;
}

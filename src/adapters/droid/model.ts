import { HalyardError } from "../../core/error.ts";
import { vendorUrls, type WholeEndpoint, wholeEndpoint } from "../../core/model-endpoint.ts";
import type { ModelApi, ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/** Where Droid gets its model from. */
export type ModelSource =
  /** An endpoint of the caller's, for which Droid needs no account. */
  | { readonly kind: "endpoint"; readonly endpoint: WholeEndpoint }
  /** Factory's own models. */
  | { readonly kind: "account"; readonly key: string; readonly id: string | undefined }
  /** A model that the user has set up in Droid's settings. */
  | { readonly kind: "own"; readonly id: string };

interface Credentials {
  /** Given to this session by name. */
  readonly factoryApiKey?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the user's own settings name models. */
  readonly hasOwnModels: boolean;
}

/** An endpoint goes first, or what a key opens that comes with the API it is for; otherwise the account's key: as given to the session, then as found in the environment. */
export function modelSource(
  model: ModelEndpoint | undefined,
  { factoryApiKey, env, hasOwnModels }: Credentials,
): ModelSource {
  const { id, api, apiKey } = model ?? {};
  const baseUrl = model?.baseUrl ?? (apiKey && api ? vendorUrls[api] : undefined);
  if (baseUrl !== undefined)
    return {
      kind: "endpoint",
      endpoint: wholeEndpoint({ ...model, baseUrl }, { program: "Droid" }),
    };
  const key = factoryApiKey ?? apiKey ?? env.FACTORY_API_KEY;
  if (key) return { kind: "account", key, id };
  if (id?.startsWith(CUSTOM) && hasOwnModels) return { kind: "own", id };
  throw new HalyardError(
    "not_signed_in",
    "Droid has no key: set FACTORY_API_KEY or put api_key into config/factory.json, or give it a model endpoint",
  );
}

/** How Droid tells models of somebody else's from its own. */
const CUSTOM = "custom:";

export function modelId(source: ModelSource): string | undefined {
  return source.kind === "endpoint" ? customId(source.endpoint.id) : source.id;
}

/** What Droid calls the model with that id at an endpoint of the caller's. */
export const customId = (id: string): string => `${CUSTOM}${id}`;

export function effortOf(
  source: ModelSource,
  reasoning: ReasoningLevel | undefined,
): string | undefined {
  return source.kind === "endpoint" ? effortAt(reasoning) : reasoning;
}

/** Without a word on reasoning a model of somebody else's is told as one that cannot. */
export function effortAt(reasoning: ReasoningLevel | undefined): string {
  return reasoning === undefined || reasoning === "off" ? "none" : reasoning;
}

/** The endpoint in the words of Droid's settings; `apiKey` is what stands there for the key. */
export function customModel(
  { id, baseUrl, api }: WholeEndpoint,
  { effort, apiKey }: { effort: string | undefined; apiKey: string },
) {
  return {
    model: id,
    displayName: id,
    baseUrl,
    apiKey,
    provider: providers[api],
    ...toldEffort(effort),
  };
}

export function toldEffort(effort: string | undefined): { reasoningEffort?: string } {
  return effort === undefined || effort === "none" ? {} : { reasoningEffort: effort };
}

const providers = {
  anthropic: "anthropic",
  "openai-chat": "generic-chat-completion-api",
  "openai-responses": "openai",
} as const satisfies Record<ModelApi, string>;

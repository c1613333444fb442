import { vendorUrls, type WholeEndpoint, wholeEndpoint } from "../../adapter-kit/model-endpoint.ts";
import { HalyardError } from "../../errors/error.ts";
import type { ModelApi, ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/** The source of Droid's model. */
export type ModelSource =
  /** A model endpoint in the request. Droid needs no account for it. */
  | { readonly kind: "endpoint"; readonly endpoint: WholeEndpoint }
  /** A model from the user's Factory account. */
  | { readonly kind: "account"; readonly key: string; readonly id: string | undefined }
  /** A model from the user's Droid settings. */
  | { readonly kind: "own"; readonly id: string };

interface Credentials {
  /** The key in the session's options. */
  readonly factoryApiKey?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if the user's Droid settings contain models. */
  readonly hasOwnModels: boolean;
}

/**
 * Chooses the model source. The first one that is configured applies: a model endpoint (a URL, or a key with its API),
 * the Factory account (a key in the session's options, the request or the environment), or a `custom:` model from the
 * user's settings. Throws `not_signed_in` if none is configured.
 */
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
    "Droid has no key. Set FACTORY_API_KEY, put api_key into config/factory.json, or set a model endpoint.",
  );
}

/** The prefix of Droid's ids for models that Factory does not provide. */
const CUSTOM = "custom:";

/** Returns Droid's id for the model, or undefined for the account's default model. */
export function modelId(source: ModelSource): string | undefined {
  return source.kind === "endpoint" ? customId(source.endpoint.id) : source.id;
}

/** Returns Droid's id for a model at a model endpoint. */
export const customId = (id: string): string => `${CUSTOM}${id}`;

/** Returns Droid's reasoning effort: see `effortAt` for a model endpoint, otherwise the requested level, if there is one. */
export function effortOf(
  source: ModelSource,
  reasoning: ReasoningLevel | undefined,
): string | undefined {
  return source.kind === "endpoint" ? effortAt(reasoning) : reasoning;
}

/** Returns Droid's reasoning effort for a model endpoint. Defaults to `none`. */
export function effortAt(reasoning: ReasoningLevel | undefined): string {
  return reasoning === undefined || reasoning === "off" ? "none" : reasoning;
}

/** Builds the settings entry for a model endpoint. `apiKey` is a reference to an environment variable. */
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
    noImageSupport: false, // explicitly false, because the default for such models is true
    ...effortField(effort),
  };
}

/** Returns the settings field for a reasoning effort. It is absent for `none`. */
export function effortField(effort: string | undefined): { reasoningEffort?: string } {
  return effort === undefined || effort === "none" ? {} : { reasoningEffort: effort };
}

const providers = {
  anthropic: "anthropic",
  "openai-chat": "generic-chat-completion-api",
  "openai-responses": "openai",
} as const satisfies Record<ModelApi, string>;

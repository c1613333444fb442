import { z } from "zod";
import { apiAt } from "../../../adapter-kit/model-endpoint.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { ModelApi, ModelEndpoint } from "../../../schema/model.ts";
import type { Agreement } from "./agreement.ts";
import type { SendRequest } from "./initialize.ts";

const Providers = z.looseObject({
  providers: z.array(
    z.looseObject({ providerId: z.string(), supported: z.array(z.string()).catch([]) }),
  ),
});

/**
 * Sets the agent's model endpoint before a session opens. Returns false if the request has no endpoint. Throws
 * `unsupported` if the agent cannot use the endpoint, and `invalid_input` if the endpoint has no URL.
 */
export async function setEndpoint(
  model: ModelEndpoint | undefined,
  { agent, setsProviders }: Agreement,
  send: SendRequest,
): Promise<boolean> {
  const { baseUrl, api: given, apiKey } = model ?? {};
  if ((baseUrl ?? given ?? apiKey) === undefined) return false;
  if (!setsProviders) throw unsupported(`${agent} does not support model endpoints over ACP`);
  if (baseUrl === undefined)
    throw new HalyardError(
      "invalid_input",
      `${agent} needs the address of the endpoint. Pass --base-url URL (in a request: model.baseUrl), or remove the key and the API.`,
    );
  const api = given ?? apiAt(baseUrl);
  const apiType = apiTypes[api];
  const { providers } = Providers.parse(await send("providers/list", {}));
  const provider = providers.find(({ supported }) => supported.includes(apiType));
  if (provider === undefined)
    throw unsupported(`${agent} does not support endpoints with the API ${api}`);
  const { providerId } = provider;
  const headers = apiKey === undefined ? {} : headersFor(api, apiKey);
  await send("providers/set", { providerId, apiType, baseUrl, headers });
  return true;
}

/** The API names in ACP, which does not distinguish OpenAI's two APIs. */
const apiTypes = {
  anthropic: "anthropic",
  "openai-chat": "openai",
  "openai-responses": "openai",
} as const satisfies Record<ModelApi, string>;

/** Returns the headers that contain the key. Endpoints with Anthropic's API read the key from one of two headers. */
function headersFor(api: ModelApi, apiKey: string): Record<string, string> {
  const Authorization = `Bearer ${apiKey}`;
  return api === "anthropic" ? { Authorization, "x-api-key": apiKey } : { Authorization };
}

function unsupported(problem: string): HalyardError {
  return new HalyardError(
    "unsupported",
    `${problem}. Remove baseUrl, api and apiKey, and configure the model in the agent itself.`,
  );
}

import { createHash } from "node:crypto";
import { HalyardError } from "../../core/error.ts";
import { vendorUrls } from "../../core/model-endpoint.ts";
import type { ModelApi, ModelEndpoint } from "../../schema/model.ts";

/** The way to a model from inside of a container, past all networks and without its key. */
export interface ModelRoute {
  /** Tells routes of a container apart. */
  readonly name: string;
  /** The loopback address that it begins at, inside. */
  readonly address: string;
  /** Where it leads to. */
  readonly target: string;
  /** What is added to each request on the way: the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The model as the runtime is told of it. */
  readonly model: ModelEndpoint;
}

/**
 * Every model whose endpoint is known is reached this way: given by name, or by a key and the API it is for. Any other is
 * the runtime's own business, for which it needs a network.
 */
export function routeTo(
  model: ModelEndpoint | undefined,
  { network }: { network: string | undefined },
): ModelRoute | undefined {
  const target = model && targetOf(model);
  if (model === undefined || target === undefined) {
    if (network !== "none") return undefined;
    throw new HalyardError(
      "invalid_input",
      "Without a network the agent reaches no model but one that Halyard is told of: give its endpoint " +
        "(--base-url and --api), or a key and the API it is for.",
    );
  }
  const { apiKey, api } = model;
  const hash = createHash("sha256")
    .update(JSON.stringify([target, apiKey]))
    .digest();
  const address = `127.${[...hash.subarray(0, 3)].map((byte) => 1 + (byte % 253)).join(".")}`;
  const url = new URL(target);
  url.protocol = "http:";
  url.host = `${address}:${ROUTE_PORT}`;
  return {
    name: hash.toString("hex").slice(0, 12),
    address,
    target,
    headers: apiKey === undefined ? {} : keyHeaders(api, apiKey),
    model: { ...model, baseUrl: url.href.replace(/\/$/, ""), apiKey: NO_KEY },
  };
}

/** An address of its own for each route, so that all can have the same port. */
export const ROUTE_PORT = 4141;

/** What the runtime is told in place of the key; the real one is added outside. */
const NO_KEY = "kept-outside";

function targetOf({ baseUrl, apiKey, api }: ModelEndpoint): string | undefined {
  if (baseUrl !== undefined) return baseUrl;
  return apiKey === undefined || api === undefined ? undefined : vendorUrls[api];
}

/** Where it was not said which API it is, the endpoint takes the one that it knows. */
function keyHeaders(api: ModelApi | undefined, apiKey: string): Record<string, string> {
  const anthropic = { "x-api-key": apiKey };
  const openai = { authorization: `Bearer ${apiKey}` };
  if (api === undefined) return { ...anthropic, ...openai };
  return api === "anthropic" ? anthropic : openai;
}

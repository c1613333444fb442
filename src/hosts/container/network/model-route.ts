import { createHash } from "node:crypto";
import { vendorUrls } from "../../../adapter-kit/model-endpoint.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { ModelApi, ModelEndpoint } from "../../../schema/model.ts";

/** A route from a container to a model endpoint that needs no network and does not expose the key. */
export interface ModelRoute {
  /** The route's unique name within the container. */
  readonly name: string;
  /** The loopback address at which the container reaches the model. */
  readonly address: string;
  /** The URL of the model endpoint. */
  readonly target: string;
  /** Headers that are added to each request. They contain the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The endpoint as the runtime sees it. */
  readonly model: ModelEndpoint;
}

/**
 * Returns the route to a model whose endpoint is known: by URL, or by a key and its API. Returns undefined if the
 * runtime chooses the model, because the endpoint is then unknown and the container needs a network. Throws in that
 * case if `network` is `none`.
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
      "Without a network, the agent can reach only a model whose endpoint Halyard knows. Set the URL of the endpoint " +
        "(--base-url, or baseUrl in a request), or a key and its API (--api-key-env and --api, or apiKey and api).",
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

/** All routes use this port, because each has its own address. */
export const ROUTE_PORT = 4141;

/** The placeholder for the key. The real key is added outside the container. */
const NO_KEY = "kept-outside";

function targetOf({ baseUrl, apiKey, api }: ModelEndpoint): string | undefined {
  if (baseUrl !== undefined) return baseUrl;
  return apiKey === undefined || api === undefined ? undefined : vendorUrls[api];
}

/** Returns the headers that contain the key. If the API is unknown, returns the headers of both vendors. */
function keyHeaders(api: ModelApi | undefined, apiKey: string): Record<string, string> {
  const anthropic = { "x-api-key": apiKey };
  const openai = { authorization: `Bearer ${apiKey}` };
  if (api === undefined) return { ...anthropic, ...openai };
  return api === "anthropic" ? anthropic : openai;
}

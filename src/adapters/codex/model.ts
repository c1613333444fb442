import { stat } from "node:fs/promises";
import { join } from "node:path";
import { vendorUrls } from "../../adapter-kit/model-endpoint.ts";
import { HalyardError } from "../../errors/error.ts";
import type { Environment } from "../../programs/environment.ts";
import type { ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/** The source of Codex's model. */
export type ModelSource =
  /** A provider that Halyard configures. */
  | { readonly kind: "endpoint"; readonly baseUrl: string; readonly apiKey: string | undefined }
  /** OpenAI with the user's login. */
  | { readonly kind: "login" };

/**
 * Returns the model source from the request, CODEX_API_KEY, the user's login or OPENAI_API_KEY, in this order. Throws
 * `not_signed_in` if there is none, and `unsupported` if the request's API is not `openai-responses`.
 */
export function modelSource(
  model: ModelEndpoint | undefined,
  env: Environment,
  { hasLogin }: { hasLogin: boolean },
): ModelSource {
  const { baseUrl, api = "openai-responses", apiKey } = model ?? {};
  if (api !== "openai-responses")
    throw new HalyardError(
      "unsupported",
      `Codex supports only the API openai-responses, not ${api}. Choose another endpoint or another runtime.`,
    );
  if (baseUrl !== undefined) return { kind: "endpoint", baseUrl, apiKey };
  if (apiKey) return vendor(apiKey, env);
  if (env.CODEX_API_KEY) return vendor(env.CODEX_API_KEY, env);
  if (hasLogin) return { kind: "login" };
  if (env.OPENAI_API_KEY) return vendor(env.OPENAI_API_KEY, env);
  throw new HalyardError(
    "not_signed_in",
    'Codex has no login and no key. Run "codex login", or set OPENAI_API_KEY.',
  );
}

/** Returns OpenAI's endpoint, or OPENAI_BASE_URL if it is set, because the key may belong to another provider. */
function vendor(apiKey: string, env: Environment): ModelSource {
  const baseUrl = env.OPENAI_BASE_URL || vendorUrls["openai-responses"];
  return { kind: "endpoint", baseUrl, apiKey };
}

/** Returns the path of the user's own Codex home, or undefined if neither CODEX_HOME nor HOME is set. */
export function userCodexHome({ CODEX_HOME, HOME }: Environment): string | undefined {
  return CODEX_HOME || (HOME ? join(HOME, ".codex") : undefined);
}

/** Returns the path of the user's login file, if it exists. */
export async function findLogin(env: Environment): Promise<string | undefined> {
  const home = userCodexHome(env);
  if (home === undefined) return undefined;
  const file = join(home, "auth.json");
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() ? file : undefined;
}

/** True if the environment contains a key or the user has a login. */
export async function isSignedIn(env: Environment): Promise<boolean> {
  if (env.CODEX_API_KEY || env.OPENAI_API_KEY) return true;
  return (await findLogin(env)) !== undefined;
}

/** Maps reasoning levels to Codex's effort levels. */
export const efforts = {
  off: "none",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  max: "xhigh",
} as const satisfies Record<ReasoningLevel, string>;

import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../../core/environment.ts";
import { HalyardError } from "../../core/error.ts";
import { vendorUrls } from "../../core/model-endpoint.ts";
import type { ModelEndpoint, ReasoningLevel } from "../../schema/model.ts";

/** Where Codex gets its model from. */
export type ModelSource =
  /** A provider of our making. */
  | { readonly kind: "endpoint"; readonly baseUrl: string; readonly apiKey: string | undefined }
  /** OpenAI, by the user's own login. */
  | { readonly kind: "login" };

/** What is given by name goes first, then Codex's own key, the login, and the key that all programs share. */
export function modelSource(
  model: ModelEndpoint | undefined,
  env: Environment,
  { hasLogin }: { hasLogin: boolean },
): ModelSource {
  const { baseUrl, api = "openai-responses", apiKey } = model ?? {};
  if (api !== "openai-responses")
    throw new HalyardError("unsupported", `Codex takes a model over openai-responses, not ${api}`);
  if (baseUrl !== undefined) return { kind: "endpoint", baseUrl, apiKey };
  if (apiKey) return vendor(apiKey, env);
  if (env.CODEX_API_KEY) return vendor(env.CODEX_API_KEY, env);
  if (hasLogin) return { kind: "login" };
  if (env.OPENAI_API_KEY) return vendor(env.OPENAI_API_KEY, env);
  throw new HalyardError(
    "not_signed_in",
    "Codex has no login and no key: run `codex login`, or set OPENAI_API_KEY",
  );
}

/** A key opens what its owner uses it for: not every one is OpenAI's. */
function vendor(apiKey: string, env: Environment): ModelSource {
  const baseUrl = env.OPENAI_BASE_URL || vendorUrls["openai-responses"];
  return { kind: "endpoint", baseUrl, apiKey };
}

/** The user's login, if there is one. */
export async function findLogin(env: Environment): Promise<string | undefined> {
  const home = env.CODEX_HOME || (env.HOME && join(env.HOME, ".codex"));
  if (!home) return undefined;
  const file = join(home, "auth.json");
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() ? file : undefined;
}

/** Whether a session would find a key or a login. */
export async function isSignedIn(env: Environment): Promise<boolean> {
  if (env.CODEX_API_KEY || env.OPENAI_API_KEY) return true;
  return (await findLogin(env)) !== undefined;
}

/** How Codex calls our levels. */
export const efforts = {
  off: "none",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  max: "xhigh",
} as const satisfies Record<ReasoningLevel, string>;

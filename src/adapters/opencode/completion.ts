import type { CompletionDraft } from "../../core/draft.ts";
import { errorInfo } from "../../core/error.ts";
import { modelFailureCode } from "../../core/model-failure.ts";
import { noUsage, tidyUsage } from "../../core/usage.ts";
import type { ErrorCode } from "../../schema/error.ts";
import type { Usage } from "../../schema/outcome.ts";
import type { NativeError, Part } from "./messages.ts";

/** What a step of a turn cost. */
export function usageOf({ tokens, cost = 0 }: Part): Usage {
  if (tokens === undefined) return noUsage;
  const { input, output, reasoning = 0, cache } = tokens;
  return tidyUsage({
    inputTokens: count(input),
    outputTokens: count(output),
    cacheReadTokens: count(cache?.read ?? 0),
    cacheWriteTokens: count(cache?.write ?? 0),
    reasoningTokens: count(reasoning),
    costUsd: cost,
  });
}

/** Differences of totals can come out below nothing where a provider counts differently. */
function count(tokens: number): number {
  return Number.isFinite(tokens) ? Math.max(0, Math.round(tokens)) : 0;
}

export function completed(finish: string, usage: Usage): CompletionDraft {
  const stopReason = stopReasons.get(finish) ?? finish;
  return { type: "completion", status: "completed", stopReason, usage };
}

const stopReasons: ReadonlyMap<string, string> = new Map([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
]);

export function cancelled(usage: Usage): CompletionDraft {
  return { type: "completion", status: "cancelled", usage };
}

export function failed(error: NativeError, usage: Usage): CompletionDraft {
  const message = messageOf(error);
  const refused = modelFailureCode(message, error.data?.statusCode);
  const code = isMissingKey(error, message) ? "not_signed_in" : (refused ?? "agent_failed");
  return failure(code, message, usage);
}

export function failure(code: ErrorCode, message: string, usage: Usage): CompletionDraft {
  return { type: "completion", status: "failed", usage, error: errorInfo(code, message) };
}

export function messageOf({ name, data }: NativeError): string {
  return data?.message || data?.responseBody || name;
}

export function isAbort({ name }: NativeError): boolean {
  return name === "MessageAbortedError" || name === "AbortError";
}

function isMissingKey({ name }: NativeError, message: string): boolean {
  return name === "ProviderAuthError" || /api key is missing|no api key/i.test(message);
}

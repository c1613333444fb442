import type { CompletionDraft } from "../../../contracts/event-draft.ts";
import { errorInfo } from "../../../errors/error.ts";
import { modelFailureCode } from "../../../errors/model-failure.ts";
import type { ErrorCode } from "../../../schema/error.ts";
import type { Usage } from "../../../schema/outcome.ts";
import { noUsage, tidyUsage } from "../../../schema/usage/usage.ts";
import type { NativeError, Part } from "../messages.ts";

/** Returns the usage of one step in a turn. */
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

/**
 * Rounds a count, and replaces a negative count with 0. OpenCode computes some counts as differences, which can be
 * negative.
 */
function count(tokens: number): number {
  return Number.isFinite(tokens) ? Math.max(0, Math.round(tokens)) : 0;
}

/** Builds the completion of a successful turn. */
export function completed(finish: string, usage: Usage): CompletionDraft {
  const stopReason = stopReasons.get(finish) ?? finish;
  return { type: "completion", status: "completed", stopReason, usage };
}

const stopReasons: ReadonlyMap<string, string> = new Map([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
]);

/** Builds the completion of a cancelled turn. */
export function cancelled(usage: Usage): CompletionDraft {
  return { type: "completion", status: "cancelled", usage };
}

/** Builds the completion of a turn that failed with an OpenCode error. */
export function failed(error: NativeError, usage: Usage): CompletionDraft {
  const message = messageOf(error);
  const refused = modelFailureCode(message, error.data?.statusCode);
  const code = isMissingKey(error, message) ? "not_signed_in" : (refused ?? "agent_failed");
  return failure(code, message, usage);
}

/** Builds the completion of a turn that failed. */
export function failure(code: ErrorCode, message: string, usage: Usage): CompletionDraft {
  return { type: "completion", status: "failed", usage, error: errorInfo(code, message) };
}

/** Returns an error's message. If there is none, returns the model's response body or the name of the error. */
export function messageOf({ name, data }: NativeError): string {
  return data?.message || data?.responseBody || name;
}

export function isAbort({ name }: NativeError): boolean {
  return name === "MessageAbortedError" || name === "AbortError";
}

function isMissingKey({ name }: NativeError, message: string): boolean {
  return name === "ProviderAuthError" || /api key is missing|no api key/i.test(message);
}

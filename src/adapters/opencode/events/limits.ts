import type { z } from "zod";
import { limitDraft, timeOfSeconds } from "../../../adapter-kit/report-drafts.ts";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { modelFailureCode } from "../../../errors/model-failure.ts";
import type { SessionStatus } from "../messages.ts";

type Retry = Extract<z.infer<typeof SessionStatus>, { type: "retry" }>;

/**
 * Maps a retry after a usage limit. OpenCode obeys `retry-after` and reports the time of the retry. Returns no draft for
 * any other retry.
 */
export function limitDrafts({ message = "", next }: Retry): EventDraft[] {
  const retryAt = timeOfSeconds(next === undefined ? undefined : next / 1000);
  if (retryAt === undefined || modelFailureCode(message) !== "rate_limited") return [];
  return [limitDraft({ status: "reached", resetsAt: retryAt, retryAt }, message)];
}

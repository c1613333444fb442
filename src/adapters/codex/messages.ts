import { z } from "zod";
import { Item } from "./events/items.ts";

// A malformed optional field becomes undefined, so that the rest of the message is still parsed.
const text = z.string().nullish().catch(undefined);
const turnFields = { threadId: z.string(), turnId: z.string() };
const deltaFields = { ...turnFields, itemId: z.string(), delta: z.string() };
const index = z.number().int().default(0);

const TurnError = z.looseObject({
  message: z.string(),
  codexErrorInfo: z.unknown().optional(),
  additionalDetails: text,
});
export type TurnError = z.infer<typeof TurnError>;

const count = z.number().int().nonnegative();

/** Token counts of Codex. `inputTokens` includes cached tokens, `outputTokens` includes reasoning tokens. */
export const TokenCount = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count.catch(0),
  cacheWriteInputTokens: count.catch(0),
  reasoningOutputTokens: count.catch(0),
});
export type TokenCount = z.infer<typeof TokenCount>;

const RateLimitWindow = z
  .looseObject({
    usedPercent: z.number().nonnegative(),
    windowDurationMins: z.number().nullish().catch(undefined),
    /** When the window resets, in seconds since 1970. */
    resetsAt: z.number().nullish().catch(undefined),
  })
  .nullish()
  .catch(undefined);
export type RateLimitWindow = z.infer<typeof RateLimitWindow>;

/** Notifications that only update a screen, repeat another message or describe the account. */
const noise = [
  "thread/status/changed",
  "thread/readState/changed",
  "thread/name/updated",
  "thread/settings/updated",
  "thread/goal/updated",
  "thread/goal/cleared",
  "thread/queue/changed",
  "thread/closed",
  "thread/archived",
  "thread/unarchived",
  "thread/environment/connected",
  "thread/compacted",
  "turn/diff/updated",
  "turn/moderationMetadata",
  "item/reasoning/summaryPartAdded",
  "item/commandExecution/outputDelta",
  "item/commandExecution/terminalInteraction",
  "item/fileChange/outputDelta",
  "item/fileChange/patchUpdated",
  "item/mcpToolCall/progress",
  "item/autoApprovalReview/started",
  "item/autoApprovalReview/completed",
  "rawResponseItem/completed",
  "rawResponse/completed",
  "hook/started",
  "hook/completed",
  "account/updated",
  "account/login/completed",
  "app/list/updated",
  "skills/changed",
  "fs/changed",
  "remoteControl/status/changed",
  "deprecationNotice",
] as const;

/** The method of an ignored notification. */
export type Noise = (typeof noise)[number];

/** The notifications of `codex app-server` 0.166, limited to the known types and to the fields that Halyard reads. */
export const Notification = z.discriminatedUnion("method", [
  notification("thread/started", {
    thread: z.looseObject({ id: z.string(), parentThreadId: text }),
  }),
  notification("turn/started", { threadId: z.string(), turn: z.looseObject({ id: z.string() }) }),
  notification("turn/completed", {
    threadId: z.string(),
    turn: z.looseObject({
      id: z.string(),
      status: z.string().catch("unknown"),
      error: TurnError.nullish().catch(undefined),
    }),
  }),
  notification("item/started", { ...turnFields, item: Item }),
  notification("item/completed", { ...turnFields, item: Item }),
  notification("item/agentMessage/delta", deltaFields),
  notification("item/plan/delta", deltaFields),
  notification("item/reasoning/summaryTextDelta", { ...deltaFields, summaryIndex: index }),
  notification("item/reasoning/textDelta", { ...deltaFields, contentIndex: index }),
  notification("turn/plan/updated", {
    ...turnFields,
    explanation: text,
    plan: z.array(z.looseObject({ step: z.string(), status: z.string() })),
  }),
  notification("thread/tokenUsage/updated", {
    ...turnFields,
    tokenUsage: z.looseObject({ total: TokenCount, last: TokenCount }),
  }),
  notification("error", {
    ...turnFields,
    error: TurnError.catch({ message: "Codex reported an error without a message." }),
    willRetry: z.boolean().catch(false),
  }),
  notification("account/rateLimits/updated", {
    rateLimits: z
      .looseObject({ primary: RateLimitWindow, secondary: RateLimitWindow })
      .nullish()
      .catch(undefined),
  }),
  notification("warning", { message: z.string() }),
  notification("guardianWarning", { message: z.string() }),
  notification("configWarning", { summary: z.string(), details: text }),
  notification("mcpServer/startupStatus/updated", {
    name: z.string(),
    status: z.string(),
    error: text,
  }),
  notification("serverRequest/resolved", { requestId: z.union([z.string(), z.number()]) }),
  notification("model/rerouted", { ...turnFields, fromModel: z.string(), toModel: z.string() }),
  z.looseObject({ method: z.enum(noise) }),
]);
export type Notification = z.infer<typeof Notification>;

/** The notification whose `method` is `T`. */
export type NotificationOf<T extends Notification["method"]> = Extract<Notification, { method: T }>;

function notification<M extends string, S extends z.ZodRawShape>(method: M, params: S) {
  return z.looseObject({ method: z.literal(method), params: z.looseObject(params) });
}

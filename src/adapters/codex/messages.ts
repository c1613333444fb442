import { z } from "zod";
import { Item } from "./items.ts";

// What is not as we know it is left out, so that the message around it is still understood.
const text = z.string().nullish().catch(undefined);
const ofTurn = { threadId: z.string(), turnId: z.string() };
const piece = { ...ofTurn, itemId: z.string(), delta: z.string() };
const index = z.number().int().default(0);

const TurnError = z.looseObject({
  message: z.string(),
  codexErrorInfo: z.unknown().optional(),
  additionalDetails: text,
});
export type TurnError = z.infer<typeof TurnError>;

const count = z.number().int().nonnegative();

/** `inputTokens` holds those read from the cache, `outputTokens` those spent on reasoning. */
export const TokenCount = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count.catch(0),
  cacheWriteInputTokens: count.catch(0),
  reasoningOutputTokens: count.catch(0),
});
export type TokenCount = z.infer<typeof TokenCount>;

/** Messages that keep a screen up to date, repeat what another one says, or are about the account. */
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
  "serverRequest/resolved",
  "account/updated",
  "account/rateLimits/updated",
  "account/login/completed",
  "app/list/updated",
  "skills/changed",
  "fs/changed",
  "remoteControl/status/changed",
  "deprecationNotice",
] as const;

export type Noise = (typeof noise)[number];

/** What `codex app-server` tells without asking: only the kinds and the fields that are read. Written for 0.166. */
export const Notification = z.discriminatedUnion("method", [
  note("thread/started", {
    thread: z.looseObject({ id: z.string(), parentThreadId: text }),
  }),
  note("turn/started", { threadId: z.string(), turn: z.looseObject({ id: z.string() }) }),
  note("turn/completed", {
    threadId: z.string(),
    turn: z.looseObject({
      id: z.string(),
      status: z.string().catch("unknown"),
      error: TurnError.nullish().catch(undefined),
    }),
  }),
  note("item/started", { ...ofTurn, item: Item }),
  note("item/completed", { ...ofTurn, item: Item }),
  note("item/agentMessage/delta", piece),
  note("item/plan/delta", piece),
  note("item/reasoning/summaryTextDelta", { ...piece, summaryIndex: index }),
  note("item/reasoning/textDelta", { ...piece, contentIndex: index }),
  note("turn/plan/updated", {
    ...ofTurn,
    explanation: text,
    plan: z.array(z.looseObject({ step: z.string(), status: z.string() })),
  }),
  note("thread/tokenUsage/updated", {
    ...ofTurn,
    tokenUsage: z.looseObject({ total: TokenCount, last: TokenCount }),
  }),
  note("error", {
    ...ofTurn,
    error: TurnError.catch({ message: "Codex met an error and did not say which" }),
    willRetry: z.boolean().catch(false),
  }),
  note("warning", { message: z.string() }),
  note("guardianWarning", { message: z.string() }),
  note("configWarning", { summary: z.string(), details: text }),
  note("mcpServer/startupStatus/updated", { name: z.string(), status: z.string(), error: text }),
  note("model/rerouted", { ...ofTurn, fromModel: z.string(), toModel: z.string() }),
  z.looseObject({ method: z.enum(noise) }),
]);
export type Notification = z.infer<typeof Notification>;

/** A notification of one kind. */
export type Note<T extends Notification["method"]> = Extract<Notification, { method: T }>;

function note<M extends string, S extends z.ZodRawShape>(method: M, params: S) {
  return z.looseObject({ method: z.literal(method), params: z.looseObject(params) });
}

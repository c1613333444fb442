import { z } from "zod";

const id = z.string();

/** A field of an odd shape must not hide the item: without its end the result of a tool would be lost. */
const status = z.string().catch("completed");
const text = z.string().nullish().catch(undefined);
const name = z.string().catch("unknown");

/** One file of a patch: `diff` is the whole text for a file added or deleted, hunks without a header otherwise. */
export const FileChange = z.looseObject({
  path: z.string(),
  kind: z.union([z.string(), z.looseObject({ type: z.string(), move_path: z.string().nullish() })]),
  diff: z.string().optional(),
});
export type FileChange = z.infer<typeof FileChange>;

/** What the model says and thinks. */
const spoken = [
  z.looseObject({ type: z.literal("agentMessage"), id, text: z.string() }),
  z.looseObject({ type: z.literal("plan"), id, text: z.string() }),
  z.looseObject({
    type: z.literal("reasoning"),
    id,
    summary: z.array(z.string()).default([]),
    content: z.array(z.string()).default([]),
  }),
] as const;

const tools = [
  z.looseObject({
    type: z.literal("commandExecution"),
    id,
    command: z.string().catch(""),
    cwd: text,
    status,
    aggregatedOutput: text,
    exitCode: z.number().int().nullish().catch(undefined),
  }),
  z.looseObject({
    type: z.literal("fileChange"),
    id,
    changes: z.array(FileChange).catch([]),
    status,
  }),
  z.looseObject({
    type: z.literal("mcpToolCall"),
    id,
    server: name,
    tool: name,
    arguments: z.unknown().optional(),
    status,
    result: z
      .looseObject({ content: z.array(z.unknown()) })
      .nullish()
      .catch(undefined),
    error: z.looseObject({ message: z.string() }).nullish().catch({ message: "the tool failed" }),
  }),
  z.looseObject({
    type: z.literal("dynamicToolCall"),
    id,
    tool: name,
    arguments: z.unknown().optional(),
    status: status.optional(),
    contentItems: z.array(z.unknown()).nullish().catch(undefined),
    success: z.boolean().nullish().catch(undefined),
  }),
  z.looseObject({
    type: z.literal("collabAgentToolCall"),
    id,
    tool: name,
    status,
    prompt: text,
    receiverThreadIds: z.array(z.string()).default([]).catch([]),
    agentsStates: z
      .record(z.string(), z.looseObject({ status: z.string(), message: text }))
      .default({})
      .catch({}),
  }),
  z.looseObject({
    type: z.literal("webSearch"),
    id,
    query: text,
    action: z.looseObject({ type: z.string(), url: text }).nullish().catch(undefined),
  }),
  z.looseObject({ type: z.literal("imageView"), id, path: z.string().catch("") }),
  z.looseObject({
    type: z.literal("imageGeneration"),
    id,
    status: status.optional(),
    revisedPrompt: text,
    savedPath: text,
  }),
  z.looseObject({
    type: z.literal("sleep"),
    id,
    durationMs: z.number().optional().catch(undefined),
  }),
] as const;

export type SpokenItem = z.infer<(typeof spoken)[number]>;

/** What Codex does by a tool. */
export const ToolItem = z.discriminatedUnion("type", tools);
export type ToolItem = z.infer<typeof ToolItem>;

/** What Codex lists as part of a turn, as far as we read it. */
export const Item = z.discriminatedUnion("type", [
  ...spoken,
  ...tools,
  z.looseObject({ type: z.literal("userMessage"), id }),
  z.looseObject({ type: z.literal("hookPrompt"), id }),
  z.looseObject({ type: z.literal("contextCompaction"), id }),
  z.looseObject({
    type: z.literal("subAgentActivity"),
    id,
    kind: z.string(),
    agentThreadId: z.string(),
    agentPath: text,
  }),
  z.looseObject({ type: z.literal("enteredReviewMode"), id, review: z.string() }),
  z.looseObject({ type: z.literal("exitedReviewMode"), id, review: z.string() }),
]);
export type Item = z.infer<typeof Item>;

export function isSpoken(item: Item): item is SpokenItem {
  return item.type === "agentMessage" || item.type === "plan" || item.type === "reasoning";
}

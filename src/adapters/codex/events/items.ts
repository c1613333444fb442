import { z } from "zod";

const id = z.string();

/** The status of an item. A malformed status must not hide the item, because the tool's result would be lost. */
const status = z.string().catch("completed");
const text = z.string().nullish().catch(undefined);
const name = z.string().catch("unknown");

/** A file in a patch. `diff` is the content of an added or deleted file, or hunks without a header. */
export const CodexFileChange = z.looseObject({
  path: z.string(),
  kind: z.union([z.string(), z.looseObject({ type: z.string(), move_path: z.string().nullish() })]),
  diff: z.string().optional(),
});
export type CodexFileChange = z.infer<typeof CodexFileChange>;

/** The model's messages, plans and reasoning. */
const contentItems = [
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
    changes: z.array(CodexFileChange).catch([]),
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

/** An item for a message, a plan or reasoning of the model. */
export type ContentItem = z.infer<(typeof contentItems)[number]>;

/** An item for a tool call. */
export const ToolItem = z.discriminatedUnion("type", tools);
export type ToolItem = z.infer<typeof ToolItem>;

/** An item in a turn, with only the fields that Halyard reads. */
export const Item = z.discriminatedUnion("type", [
  ...contentItems,
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

/** True if the item is a message, a plan or reasoning. */
export function isContent(item: Item): item is ContentItem {
  return item.type === "agentMessage" || item.type === "plan" || item.type === "reasoning";
}
